"""Can the judge be believed? The section on judges held against people, on the page, in lines and as values."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from mores.analysis.results import Results
from mores.annotation.label_tables import read_tables
from mores.calibration.agreement import TOGETHER
from mores.calibration.calibration_labels import Splitting
from mores.calibration.certificate import ConformalSettings, write_certificates
from mores.calibration.certify import CertificationRequest
from mores.calibration.judge_calibration import calibration, certificate_file, judges_of
from mores.calibration.judge_report import Given, JudgeTrust, trust
from mores.calibration.trust_analysis import TRUST_ANALYSIS, glance, sending
from mores.core.codec import encode
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.reports.charts import risk_file
from mores.reports.console import section_parts, show
from mores.reports.page import write_page
from mores.runs.loading import read_results
from mores.stats.conformal.calibration import CalibrationPlan
from mores.tables import section_of
from mores.tables.blocks import Axis, Chart, ChartPoint, Section, Series
from tests.calibration.made_votes import Play, judged_run, labels_file
from tests.reports.browser import browser, opened

N, LABELLED = 240, 200


def run_and_labels(folder: Path, draws: int = 1, seed: int = 1, **more: Any) -> tuple[Path, Path]:
    """A judge that is right in .9 of its draws, in two places, and two people who label most of it."""
    rng = np.random.default_rng(seed)
    true = ["yes" if hit else "no" for hit in rng.random(N) < 0.6]
    plays = []
    for n, word in enumerate(true):
        wrong = "no" if word == "yes" else "yes"
        said = [word if rng.random() < 0.9 else wrong for _ in range(draws)]
        plays.append(Play(item=f"i{n}", said=said if draws > 1 else said[0], place="JP" if n % 3 else "GE"))
    run = judged_run(folder / "run", plays, **more)
    rows = [(f"i{n}", who, true[n]) for n in range(LABELLED) for who in ("ann", "bob")]
    return run, labels_file(folder / "labels.csv", rows)


def section(runs: list[Path], **given: Any) -> JudgeTrust:
    found = trust(read_results(runs), Given(**given))
    assert found is not None
    return found


def judges_section(results: Results, **given: Any) -> Section | None:
    """The section of what is given beside the runs."""
    found = trust(results, Given(**given))
    result = None if found is None else TRUST_ANALYSIS.analyse(found)
    return None if result is None else section_of(TRUST_ANALYSIS, result)


def certificate(folder: Path, run: Path, labels: Path, *, by_place: bool = False) -> Path:
    """A certificate of the run's judge, on half of the labels."""
    tables = read_tables([run], (labels,))
    asked = CertificationRequest(risks=(0.01, 0.2), plan=CalibrationPlan(score="first_k"), by_place=by_place)
    how, seed = (asked, Splitting(held_out=0.5)), Seed("test")
    found = [calibration(table, role, ConformalSettings(), how, seed=seed) for table, role in judges_of(tables, ())]
    path = folder / "cert.json"
    write_certificates(path, certificate_file("clm", found, [labels], seed=0))
    return path


def page_of(run: Path, folder: Path, **given: Any) -> str:
    path, results = folder / "page.html", read_results([run])
    also = judges_section(results, **given)
    write_page(results, path, () if also is None else (also,))
    return path.read_text()


def test_without_labels_there_is_no_section_but_a_sentence_on_what_to_do(tmp_path: Path) -> None:
    run, _ = run_and_labels(tmp_path)
    assert judges_section(read_results([run])) is None
    page = page_of(run, tmp_path)
    assert 'id="trust"' not in page
    assert f"mores judge sample {run} --n 200 --out DIR" in page


def test_a_part_says_how_good_for_whom_how_sure_and_what_to_send(tmp_path: Path) -> None:
    run, labels = run_and_labels(tmp_path)
    found = section([run], labels=(labels,))
    (part,) = found.parts
    assert (part.task, part.role, part.judge) == ("polite", "judge", "openai/judge")
    page = page_of(run, tmp_path, labels=(labels,))
    for words in ("Can the judge be believed?", "How good?", "For whom?", "How sure?", "What to send to people?",
                  "Cohen&#39;s kappa", "Gwet&#39;s AC1", "a column for each label of the judge", "F1", "Human ceiling",
                  "alt-test", "Place by place", "judge, uncorrected", "PPI++", "Rogan–Gladen",
                  "people alone"):  # fmt: skip
        assert words.casefold() in page.casefold(), words
    assert f"mores judge sets {run} --labels {labels} --task polite" in page


def test_lines_and_values_say_the_same_as_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, labels = run_and_labels(tmp_path)
    found = judges_section(read_results([run]), labels=(labels,))
    assert found is not None
    show(section_parts(found))
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["Can the judge be believed?", "polite, judge openai/judge made/talks"]
    for start in ("agree ", "Places: ", "Share of 'yes'", "PPI++", "No certificate says which of"):
        assert any(line.strip().startswith(start) for line in lines), start
    plain = json.loads(encode(found.data))
    assert {row["graded"] for row in plain["agreement"] if row["part"] == "all" and not row["word"]} == {LABELLED}
    assert plain["corrections_tasks"][0]["labelled"] == LABELLED
    assert [(row["role"], row["simulated"]) for row in plain["trust"]] == [("judge", False)]


def test_a_certificate_stands_with_its_levels_its_picture_and_what_it_sends_to_people(tmp_path: Path) -> None:
    run, labels = run_and_labels(tmp_path, draws=5)
    path = certificate(tmp_path, run, labels)
    found = section([run], labels=(labels,), certificates=(path,))
    (each,) = found.parts[0].certified
    assert [level.certified for level in each.certificate.levels] == [False, True]
    (use,) = each.uses
    assert use.decided + use.people == N
    assert next(sending(found.parts[0])).startswith(
        f"Kept sets at 0.2: {use.decided} things decided, {use.people} to people"
    )
    page = page_of(run, tmp_path, labels=(labels,), certificates=(path,))
    assert 'class="cross"' in page
    assert "uncalibratable" in page
    assert f"mores judge apply {path} {run} --risk 0.2 --out DIR" in page.replace("\n", " ")


def test_a_certificate_of_another_judging_says_so_and_decides_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    run, labels = run_and_labels(tmp_path / "a", draws=5)
    path = certificate(tmp_path, run, labels)
    other, others = run_and_labels(tmp_path / "b", draws=3)
    found = section([other], labels=(others,), certificates=(path,))
    (each,) = found.parts[0].certified
    assert each.uses == ()
    assert "draws" in each.why
    assert "Does not cover this judging:" in page_of(other, tmp_path, labels=(others,), certificates=(path,))


def test_a_certificate_of_nothing_here_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    run, labels = run_and_labels(tmp_path / "a", draws=5)
    path = certificate(tmp_path, run, labels)
    other, _ = run_and_labels(tmp_path / "b", task="warm")
    found = section([other], certificates=(path,))
    assert found.parts == ()
    assert found.unused[0].endswith("is of nothing that was judged and labelled here.")


def test_a_jury_has_a_part_for_all_together_and_one_for_each_judge(tmp_path: Path) -> None:
    run, labels = run_and_labels(tmp_path, judges=("openai/a", "openai/b"))
    found = section([run], labels=(labels,))
    assert [part.role for part in found.parts] == [TOGETHER, "judge", "judge_2"]
    assert [bool(part.corrected) for part in found.parts] == [True, False, False]
    assert [part.judge for part in found.parts] == ["openai/a, openai/b", "openai/a", "openai/b"]


def test_one_word_of_people_is_refused_for_agreement_and_still_corrected(tmp_path: Path) -> None:
    run, _ = run_and_labels(tmp_path)
    labels = labels_file(tmp_path / "one.csv", [(f"i{n}", "ann", "yes") for n in range(60)])
    found = section([run], labels=(labels,))
    assert found.parts[0].agreement is None
    assert "people say 'yes' of all 60 labelled things" in found.parts[0].refused
    assert "people say &#39;yes&#39; of all 60" in page_of(run, tmp_path, labels=(labels,))


def test_a_sample_without_labels_is_refused(tmp_path: Path) -> None:
    run, _ = run_and_labels(tmp_path)
    with pytest.raises(InputError, match="a sample without labels says nothing"):
        trust(read_results([run]), Given(sample=tmp_path))


def test_words_of_a_label_file_cannot_act_on_the_page(tmp_path: Path) -> None:
    run, _ = run_and_labels(tmp_path)
    labels = labels_file(
        tmp_path / "labels.csv", [(f"i{n}", "<script>ann", "yes" if n % 2 else "no") for n in range(60)]
    )
    page = page_of(run, tmp_path, labels=(labels,))
    assert "<script>ann" not in page


def test_every_link_of_the_section_has_its_anchor(tmp_path: Path) -> None:
    run, labels = run_and_labels(tmp_path)
    page = page_of(run, tmp_path, labels=(labels,))
    anchors = set(re.findall(r'id="([^"]+)"', page))
    links = {
        link.partition("?")[0] for link in re.findall(r'href="#([^"]+)"', page)
    }  # items are filtered after the mark
    assert links <= anchors


def test_each_kind_of_certificate_has_its_own_picture_and_words(tmp_path: Path) -> None:
    run, labels = run_and_labels(tmp_path, draws=5)
    sets = certificate(tmp_path, run, labels)
    (table,) = read_tables([run], (labels,))
    how = CertificationRequest(risks=(0.2,)), Splitting(held_out=0.5)
    trusted = tmp_path / "trusted.json"
    measure = ConformalSettings(confidence="consistency")
    found = calibration(table, "judge", measure, how, seed=Seed("test"))
    write_certificates(trusted, certificate_file("selective", [found], [labels], seed=0))
    both = section([run], labels=(labels,), certificates=(sets, trusted))
    (part,) = both.parts
    assert {line.split(" at ")[0] for line in sending(part)} == {"Kept sets", "Trusted decisions"}
    assert glance(part)[3] == ("sets at 0.2", "trust at 0.2")
    page = page_of(run, tmp_path, labels=(labels,), certificates=(sets, trusted))
    assert page.count("level certified</text>") == 2
    for words in (
        "Certificate of trusted decisions",
        "Kept sets: For held-out units",
        "Trusted decisions: For held-out units",
    ):
        assert words in page


def test_a_certificate_of_one_place_sends_nothing_of_another(tmp_path: Path) -> None:
    run, labels = run_and_labels(tmp_path, draws=5)
    path = certificate(tmp_path, run, labels, by_place=True)
    found = section([run], labels=(labels,), certificates=(path,))
    (part,) = found.parts
    things = {"GE": sum(1 for n in range(N) if n % 3 == 0), "JP": sum(1 for n in range(N) if n % 3)}
    for each in part.certified:
        (use,) = each.uses
        assert use.decided + use.people == things[str(each.certificate.place)]
    assert [line.split(" at ")[0] for line in sending(part)][:2] == ["Kept sets, Georgia", "Kept sets, Japan"]
    assert glance(part)[3] == ("sets in 2 of 2 places",)


def test_labels_without_a_sample_are_not_said_to_be_blind(tmp_path: Path) -> None:
    run, labels = run_and_labels(tmp_path)
    assert "without seeing the judge" not in page_of(run, tmp_path, labels=(labels,))


def test_more_judges_than_colours_are_said_to_be_left_out() -> None:
    level = Estimate(metric="level", value=0.1, asked=0, graded=0)
    losses = [None] * 8 + [0.05]
    series = tuple(
        Series(name=f"judge-{n}", points=(ChartPoint(x=level, y=replace(level, value=loss)),))
        for n, loss in enumerate(losses)
    )
    picture = risk_file([Chart(kind="risk", title="polite", series=series, axes=(Axis(), Axis()))])
    assert "and 3 more" in picture
    assert "judge-8" in picture  # it is the one with a loss to show


@pytest.mark.skipif(browser() is None, reason="no chromium here; the page is not looked at")
def test_the_section_stands_in_a_browser_without_pushing_the_page_wide(tmp_path: Path) -> None:
    run, labels = run_and_labels(tmp_path, draws=5)
    page_of(run, tmp_path, labels=(labels,), certificates=(certificate(tmp_path, run, labels),))

    async def look() -> None:
        async with opened(tmp_path / "page.html") as tab:
            assert await tab.run("document.querySelectorAll('#trust h3').length") == 1
            assert await tab.run("document.querySelectorAll('#trust svg').length") >= 5
            await tab.run("document.body.style.width = '390px'")
            wide = "[...document.querySelectorAll('#trust > *')].filter(e => e.offsetWidth > 391).length"
            assert await tab.run(wide) == 0

    asyncio.run(look())
