"""Published data without their places: what is asked, what is left out and counted, and what a place adds there."""

from pathlib import Path

import pytest

import mores
from mores.analysis.controls import gains
from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.controls import controls_of, describe_exclusions, under_control
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.transcript import Item
from mores.norms.remove_place import named_in
from mores.runs.loading import read_results

TINY = Path(__file__).parent / "tiny"
BY_RULES = [
    "culturalbench/easy", "culturalbench/hard", "cure/normad_thin", "cure/normad_thick", "cure/casa_thin",
    "cure/casa_thick", "cultureforest/easy", "cultureforest/medium", "cultureforest/hard", "cultureforest/informed",
    "cultureforest/knowledge", "socialcc/dialogue", "blend/saq_local", "blend/saq_english", "blend/mcq",
    "blend/semeval_mcq",
]  # fmt: skip


def _setting(name: str, data: Path) -> Setting:
    return Setting(data=data, protocol=catalogue.load(name).card.protocol, seed=Seed("x"))


def _words(item: Item) -> str:
    return item.render()  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("name", BY_RULES)
def test_no_item_names_its_place(name: str) -> None:
    benchmark, setting = catalogue.load(name), _setting(name, TINY / name.partition("/")[0])
    found = under_control("masked", benchmark, benchmark.items(setting), setting)
    assert found.items
    assert found.left_out.total() < found.units
    for item in found.items:
        assert named_in(_words(item), item.about.place or "") is None
        assert item.key.__self__.control == "masked"  # type: ignore[attr-defined]


def test_which_benchmarks_have_controls() -> None:
    having = {name: controls_of(catalogue.load(name)) for name in catalogue.names()}
    masked, told, both = ("masked",), ("masked", "told"), ("masked", "swapped", "misplaced", "told")
    ladder = {"know": both, "judge": both, "explain": told, "apply": told, "converse": told, "live": ("told",)}
    assert {name: found for name, found in having.items() if found} == {
        **dict.fromkeys(BY_RULES, masked),
        **{f"ladder/{rung}": found for rung, found in ladder.items()},
    }


def test_the_gain_of_published_data_is_paired_and_its_planted_courtesy_covered(tmp_path: Path, real: Path) -> None:
    model = "simulated/typical:judge=.8,courtesy=.5,format_error=0"
    mores.run("cure/normad_thin", model=model, control="masked", data=real, limit=300, out=tmp_path / "run")
    (gain,) = gains(read_results([tmp_path / "run"]))
    assert gain.whole.units == 300
    planted = 0.8 * (1 - 0.5) * (1 - 1 / 3)  # who does not know guesses one of three labels
    assert (gain.whole.low or 0) <= planted <= (gain.whole.high or 0)


def test_most_of_the_published_questions_can_be_asked(real: Path) -> None:
    for name, least in (("culturalbench/easy", 0.9), ("cure/casa_thin", 0.95), ("cure/normad_thin", 1.0)):
        benchmark, setting = catalogue.load(name), _setting(name, real)
        found = under_control("masked", benchmark, benchmark.items(setting), setting)
        assert 1 - found.left_out.total() / found.units >= least, describe_exclusions(found)


def test_items_of_groups_alone_have_no_place_to_mask(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--control masked: these benchmarks cannot be asked so"):
        mores.run("cure/culturebank_thin", control="masked", data=TINY / "cure", out=tmp_path / "run")


def test_no_published_data_is_asked_of_another_place(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--control swapped: these benchmarks cannot be asked so"):
        mores.run("culturalbench/easy", control="swapped", data=TINY / "culturalbench", out=tmp_path / "run")
