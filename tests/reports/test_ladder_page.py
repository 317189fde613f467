"""The ladder on the page, on a terminal and for programs."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec import structs
from msgspec.structs import replace

from mores.analysis.judge_errors import stated_range
from mores.analysis.results import Results
from mores.benchmarks.ladder import ladders as ladder_module
from mores.benchmarks.ladder import sentences
from mores.benchmarks.ladder.analysis import LADDER_ANALYSIS, result_of
from mores.benchmarks.ladder.ladders import Ladder, ladders
from mores.core.estimate import Estimate
from mores.norms.pack import load_pack
from mores.runs.loading import read_results
from mores.tables import section_of
from mores.tables.blocks import Section
from tests.bundled import PACK
from tests.reports.conftest import Held
from tests.reports.ladder_norms import applied, evaluation, explained, judged, known
from tests.reports.made import Made, run_of
from tests.reports.shown import data, laid_out, printed
from tests.reports.test_page import Parts

HOSTILE = '<img src=x onerror="alert(1)">{{ it }}'


class Shown(NamedTuple):
    """Ladders as values, and as they are shown."""

    ladders: tuple[Ladder, ...]
    section: Section

    @property
    def lines(self) -> list[str]:
        return [line.strip() for line in printed(self.section)]

    @property
    def html(self) -> str:
        return laid_out(self.section)

    @property
    def text(self) -> str:
        return Parts(self.html).text


def of(found: Results) -> Shown:
    made = ladders(found)
    return Shown(made, section_of(LADDER_ANALYSIS, result_of(made)))


def describe_comparison(found: Ladder) -> str:
    return sentences.describe_break(found.whole.drops)


def meaning(found: Ladder) -> str:
    return " ".join(sentences.describe_meaning(found))


def rungs(model: str = "m", *, kept: float = 0.1, norm: str = "n", **more: object) -> list[Made]:
    """Thirty norms in ten bundles, all known, judged and explained, and kept to as likely; five of them in Nigeria."""
    names = [f"{norm}{n}" for n in range(30)]
    at = ["NG" if n < 5 else "JP" for n in range(30)]
    where = list(zip(names, at, strict=True))
    verdicts = {
        "know": [v for n, place in where for v in known(n, (1, 1, 1, 1), place=place)],
        "judge": [v for n, place in where for v in judged(n, 1, place=place)],
        "explain": [v for n, place in where for v in explained(n, 1, 0.9, place=place)],
        "apply": [v for k, (n, place) in enumerate(where) for v in applied(n, kept, f"b{k // 3}", place=place)],
    }
    values = {"know": 1.0, "judge": 1.0, "explain": 1.0, "apply": kept}
    groups = {name: {("place", "JP"): value, ("place", "NG"): value} for name, value in values.items()}
    return [
        evaluation(name, said, values[name], model=model, groups=groups[name], **more)
        for name, said in verdicts.items()
    ]


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    return of(read_results([run_of(tmp_path_factory.mktemp("ladder") / "run", *rungs())]))


@pytest.fixture(scope="module")
def text(broken: Shown) -> str:
    return broken.text


def test_it_says_in_one_sentence_where_it_breaks(broken: Shown, text: str) -> None:
    # Three pairs of rungs: all norms come first, whatever the domain and Japan (25 norms in 9 bundles) bear.
    told = next(line for line in broken.lines if line.startswith("All norms"))
    found = re.fullmatch(
        r"All norms: breaks at apply: down 100.0 points(?: \[.*\])? from explain "
        r"\(p = 0.006, Holm over 3; n = 30 norms in 10 clusters\)\. "
        r"Over what is known of its judges, the drop is 100.0 to 100.0 points\.",
        told,
    )
    assert found, told
    assert told in text


def test_it_says_what_that_means_for_a_remedy(broken: Shown, text: str) -> None:
    (found,) = broken.ladders
    said = meaning(found)
    assert "the first weakness is using a norm unprompted, rather than knowing it" in said
    assert "At know, which asks for knowledge alone, 0.0 of 100 points are missing already" in said
    assert said in text


def test_it_says_what_is_known_of_judges(broken: Shown, text: str) -> None:
    (found,) = broken.ladders
    assert "on explain, apply sensitivity and specificity each from .75 to 1, as stated" in sentences.describe_judges(
        found
    )
    assert sentences.describe_judges(found) in broken.lines
    assert sentences.describe_judges(found) in text


def test_probabilities_of_a_judge_are_no_drop(tmp_path: Path) -> None:
    """All explained, and all kept to with a likelihood of .85: the judge's word is the same on both rungs."""
    found = of(read_results([run_of(tmp_path / "run", *rungs(kept=0.85))]))
    told = next(line for line in found.lines if line.startswith("All norms"))
    assert "no drop of more than 10 points that every judge of the range would show is found (Holm over 3)" in told
    assert found.ladders[0].whole.drops[2].contrast.size == 0


def test_a_drop_that_a_judge_may_explain_is_said_to_be_perhaps_the_judges(tmp_path: Path) -> None:
    names = [f"n{n}" for n in range(80)]
    up = evaluation("explain", [v for n in names for v in explained(n, 1, 0.9)], 1.0)
    kept = [v for k, n in enumerate(names) for v in applied(n, float(k >= 16), n)]
    found = of(read_results([run_of(tmp_path / "run", up, evaluation("apply", kept, 0.8))]))
    (drop,) = found.ladders[0].whole.drops
    # A judge that passes 8 of 10 of what is kept explains all of it: .8 / .75 is over 1.
    assert (drop.may_be_judge, drop.breaks) == (True, False)
    assert drop.contrast.size_judged == pytest.approx(0.2)
    assert drop.contrast.size == pytest.approx(1 - (0.8 - 0.125) / 0.75)  # for judges at the centre of the range
    assert drop.contrast.least == 0
    # It is more than 10 points where .8 / x < .9, from .89 on, and below .05 / 3, for three claims, a bit later.
    assert drop.holds_from is not None
    assert 0.89 <= drop.holds_from <= 0.93
    told = describe_comparison(found.ladders[0])
    assert (
        "errors of the judge may: over what is known of the judges of these rungs, the drop is 0.0 to 26.7 points"
        in told
    )
    assert "would hold if the sensitivity and specificity of the judges were" in told
    assert told in found.text
    assert "may be judge error: would hold from" in found.text


def test_a_narrower_range_finds_it(tmp_path: Path) -> None:
    names = [f"n{n}" for n in range(80)]
    up = evaluation("explain", [v for n in names for v in explained(n, 1, 0.9)], 1.0)
    kept = [v for k, n in enumerate(names) for v in applied(n, float(k >= 16), n)]
    read = read_results([run_of(tmp_path / "run", up, evaluation("apply", kept, 0.8))])
    assert of(structs.replace(read, judges=stated_range(".95-1"))).ladders[0].whole.broken is not None
    assert of(read).ladders[0].whole.broken is None


def test_what_was_planted_in_a_respondent_is_found(held: Held) -> None:
    names = [f"ladder/{name}" for name in ("know", "judge", "explain", "apply")]
    (found,) = of(read_results([held(*names, models=("simulated/expert:apply=0",))])).ladders
    assert found.whole.broken is not None
    assert found.whole.broken.after == "apply"
    assert found.whole.broken.contrast.clusters == len(PACK.bundles)


def test_skipped_rungs_are_named(tmp_path: Path) -> None:
    chosen = [made for made in rungs() if made.benchmark in {"ladder/know", "ladder/apply"}]
    (found,) = of(read_results([run_of(tmp_path / "run", *chosen)])).ladders
    assert "judge, explain were not run between the two, so the first weakness is not known" in meaning(found)


def test_small_groups_stand_without_interval_or_claim(broken: Shown, text: str) -> None:
    (found,) = broken.ladders
    nigeria = next(row for row in found.rows if row.group.value == "NG")
    assert [drop.contrast.p for drop in nigeria.drops] == [None, None, None]
    assert nigeria.drops[2].contrast.size == pytest.approx(1.0)
    assert "no claim: too few norms: 5" in text
    assert re.search(r"Nigeria (place )+no claim", text)


def test_groups_that_break_are_listed(broken: Shown) -> None:
    told = [line for line in broken.lines if line.startswith(("family:", "Japan:"))]
    assert len(told) == 2
    assert all("breaks at apply: down 100.0 points" in line for line in told)


def test_norms_are_examples_with_counts(broken: Shown, text: str) -> None:
    assert "These are examples and never findings" in text
    assert "Japan 25 norms" in text
    assert "4 of 4 statements right" in text
    assert "1 of 1 right: said yes, wanted yes; reasons 0.90 of 1" in text
    assert (
        broken.html.count("<details>") == 4
    )  # headlines and drops of groups, and two places; open to a reader without scripts


def test_names_are_words(tmp_path: Path) -> None:
    page = of(read_results([run_of(tmp_path / "run", *rungs(HOSTILE, norm=f"{HOSTILE}-"))])).html
    assert HOSTILE not in page
    assert "img" not in [tag for tag, _ in Parts(page).tags]
    assert HOSTILE in Parts(page).text


def test_made_up_answers_are_marked(tmp_path: Path) -> None:
    found = of(read_results([run_of(tmp_path / "run", *rungs(simulated=True))]))
    assert "m simulated" in found.text
    assert found.lines[1].startswith("m (simulated)")
    assert all(row["simulated"] for rows in data(found.section).values() for row in rows)


def test_models_side_by_side_are_families_of_their_own(tmp_path: Path, broken: Shown) -> None:
    found = of(read_results([run_of(tmp_path / "run", *rungs(), *rungs("other", kept=0.9))]))
    assert [each.family for each in found.ladders] == [9, 9]
    assert found.ladders[0].rows[0].drops == broken.ladders[0].rows[0].drops
    text = found.text
    assert "of 2 models without a drop, on average at most 0.1 would show a break by chance" in text


def guessing(judge: float = 0.0, faults: float = 0.9) -> list[Made]:
    """Thirty norms of which none is known, and of whose scenes so many are judged rightly; most words unreadable."""
    names = [f"n{n}" for n in range(30)]
    know = evaluation("know", [v for n in names for v in known(n, (1, 1, 0, 0))], 0.0)
    seen = evaluation("judge", [v for n in names for v in judged(n, judge)], judge)
    for made, share in ((know, faults), (seen, 0.05)):
        made.figures["format_error"] = Estimate(metric="format_error", value=share, asked=30, graded=30)  # type: ignore[index]
    return [know, seen]


def test_nothing_breaks_from_a_rung_that_is_no_better_than_guessing(tmp_path: Path) -> None:
    # know: one true and one false statement of two right, 0; judge (0 − 1/3)/(2/3) = −50; chance is no explanation.
    found = of(read_results([run_of(tmp_path / "run", *guessing())]))
    (ladder_found,) = found.ladders
    (drop,) = ladder_found.whole.drops
    assert drop.found
    assert drop.contrast.size == pytest.approx(0.5)
    assert (drop.breaks, ladder_found.whole.broken, ladder_found.broken) == (False, None, ())
    told = describe_comparison(ladder_found)
    assert told.startswith("no break. At know it is already no better than guessing; judge is down 50.0 points")
    text = found.text
    assert told in text
    assert "no break: know is no better than guessing" in text
    assert "breaks at" not in text.partition("corrected (Holm)")[2]


def test_from_guessing_it_says_that_later_rungs_cannot_fall(tmp_path: Path) -> None:
    (found,) = of(read_results([run_of(tmp_path / "run", *guessing())])).ladders
    said = meaning(found)
    assert "it is no better than guessing; from there later rungs cannot fall further" in said
    assert "more than knowing it" not in said


def test_unusable_answers_are_named_where_they_are_many(tmp_path: Path) -> None:
    (found,) = of(read_results([run_of(tmp_path / "run", *guessing())])).ladders
    said = meaning(found)
    assert "At know, 90.0% of answers could not be read" in said
    assert "5.0%" not in said
    (few,) = of(read_results([run_of(tmp_path / "few", *guessing(faults=0.05))])).ladders
    assert "could not be read" not in meaning(few)


def test_the_page_says_how_far_the_norms_were_checked_by_the_packs_own_data(
    held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = held("ladder/know", "ladder/judge")
    made, plain = of(read_results([run])), load_pack()
    norms = len(plain.norms)
    assert f"Of {norms} norms none is unverified; nobody was asked yet" in made.text
    first, *others = plain.norms
    source = replace(first.norm.sources[0], verified=False)
    doubted = replace(first, norm=replace(first.norm, sources=(source,), agreement=0.9))
    monkeypatch.setattr(ladder_module, "load_pack", lambda: replace(plain, norms=(doubted, *others)))
    doubtful = of(read_results([run]))
    told = f"Of {norms} norms 1 is unverified (no page of the source could be opened); people were asked about 1."
    assert told in doubtful.text
    assert told in doubtful.lines[-1]
    assert all(told in row["standing"] for row in data(doubtful.section)["ladder_judges"])


def test_of_another_pack_the_page_does_not_say_that_it_was_checked(text: str) -> None:
    assert "unverified" not in text
    assert "any other says it itself: mores show pack --data FOLDER" in text


def test_tables_can_be_read_aloud(broken: Shown) -> None:
    parts = Parts(broken.html)
    assert all(attributes.get("scope") in {"col", "row"} for tag, attributes in parts.tags if tag == "th")
    assert all(
        "aria-hidden" in attributes or attributes.get("aria-label") for tag, attributes in parts.tags if tag == "svg"
    )
    ids = [attributes["id"] for _, attributes in parts.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_programs_get_every_number_of_the_page(broken: Shown, text: str) -> None:
    told = data(broken.section)
    assert [rung["rung"] for rung in told["ladder_judges"]] == ["know", "judge", "explain", "apply"]
    whole, *groups = told["ladder_breaks"]
    assert (whole["kind"], whole["breaks_at"], whole["family"]) == (None, "apply", 9)
    assert whole["told"] in text
    assert " ".join(whole["meaning"]) in text
    assert {(group["kind"], group["group"]) for group in groups} == {
        ("domain", "family"), ("place", "JP"), ("place", "NG"),
    }  # fmt: skip
    (norm,) = (each for each in told["ladder_norms"] if (each["norm"], each["rung"]) == ("n0", "apply"))
    assert (norm["share"], norm["told"]) == (0.1, "kept to with 0.10 of 1; most likely neutral")
    for drop in told["ladder_drops"]:
        assert f"{drop['before']} → {drop['after']}" in text
        assert f"{100 * drop['drop']:.1f}" in text


def test_norms_kept_and_the_headline_are_two_figures_of_a_rung_under_two_names(broken: Shown, text: str) -> None:
    rows = {row["rung"]: row for row in data(broken.section)["ladder"] if row["kind"] is None}
    (found,) = broken.ladders
    for rung, kept in zip(found.rungs, found.whole.scores, strict=True):
        headline, row = rung.evaluation.overall(), rows[rung.name]
        assert headline is not None
        assert kept is not None
        assert (row["kept"], row["low"], row["high"], row["graded"]) == (kept.value, kept.low, kept.high, kept.graded)
        assert (row["headline"], row["headline_low"], row["headline_high"]) == (
            headline.value, headline.low, headline.high,
        )  # fmt: skip
        assert row["above_guessing"] == rung.above(row["headline"])
    # At apply a norm is kept or not by the likeliest label, and the headline is the mean probability, .1.
    assert (rows["apply"]["kept"], rows["apply"]["headline"]) == (0, 0.1)
    assert "above guessing 100.0%" in text
    assert "above guessing 10.0%" not in text  # at apply guessing gets nothing


def test_an_ungraded_norm_is_null_for_programs(tmp_path: Path) -> None:
    evaluations = [
        evaluation("know", known("a", (1,)), 1.0),
        evaluation("judge", [*judged("a", None), *judged("b", 1)], 1.0),
    ]
    told = data(of(read_results([run_of(tmp_path / "run", *evaluations)])).section)
    (norm,) = (each for each in told["ladder_norms"] if (each["norm"], each["rung"]) == ("a", "judge"))
    assert (norm["share"], norm["told"]) == (None, "ungraded timeout")
    assert told["ladder_drops"][0]["why"] == "no norm is graded on both rungs"
