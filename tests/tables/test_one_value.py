"""One figure has one value, one interval and one n, in whatever medium it stands: looked for by what it is of."""

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import mores
from mores.api.runs import Runs
from mores.exports.figures import to_csv
from mores.exports.figures.found import figures_of
from mores.tables.formatting import is_share
from tests.golden.play import typed
from tests.tables.told import (
    Figures,
    Grids,
    Key,
    by_rung,
    is_named,
    latex_tables,
    of,
    of_estimate,
    page_tables,
    plain,
    point_of,
    points,
    row_of,
    rows_of_csv,
    says,
    shaded,
    share,
    told,
)

MODELS = ("simulated/typical", "simulated/uneven:refusal=.05,failure=.02,person=1")
RUN = f"run ladder --limit 12 --out run --json -m {' -m '.join(MODELS)} --places JP,NG,BR"


class Media(NamedTuple):
    """One run in every medium."""

    runs: Runs
    run_json: list[Any]
    report: Any
    full: str
    page: Grids
    latex: Grids
    table: str
    folder: Path

    @property
    def headlines(self) -> dict[str, str]:
        return {each.benchmark: each.headline for each in self.runs.results.evaluations}

    def says(self, cell: str, key: Key, figures: Figures, *, n: bool = True) -> bool:
        """True of a cell that has the figure."""
        (result,) = (each for each in self.runs.results.on(key.benchmark) if each.label == key.model)
        return says(cell, figures[key], share if is_share(result.metric(key.metric)) else points, n)


@pytest.fixture(scope="module")
def media(tmp_path_factory: pytest.TempPathFactory) -> Media:
    folder = tmp_path_factory.mktemp("one")
    ran = typed(RUN, folder)
    assert ran.code == 0, ran.err
    report = typed("report run --json --out page.html", folder)
    for to in ("csv", "latex"):
        assert typed(f"export run --to {to} --out {to}", folder).code == 0
    return Media(
        runs=mores.load(folder / "run"),
        run_json=[json.loads(line) for line in ran.out.splitlines()],
        report=json.loads(report.out),
        full=typed("report run --full", folder, columns=600).out,
        page=page_tables((folder / "page.html").read_text()),
        latex=latex_tables((folder / "latex" / "analyses.tex").read_text()),
        table=plain((folder / "latex" / "table.tex").read_text()),
        folder=folder,
    )


@pytest.fixture(scope="module")
def figures(media: Media) -> Figures:
    """Every figure, as the frame of estimates has it."""
    names = [*media.runs.estimates.columns]
    kinds, found = names[names.index("source") + 1 :], {}
    for row in media.runs.estimates:
        groups = [(kind, str(row[kind])) for kind in kinds if row[kind] is not None]
        assert len(groups) <= 1
        whole = of(row, str(row["metric"]))
        found[of_estimate(whole.model, whole.benchmark, whole.metric, groups)] = told(row, "value")
    return found


@pytest.fixture(scope="module")
def headlines(media: Media, figures: Figures) -> Figures:
    """Those of them that are headlines, with their groups."""
    return {key: each for key, each in figures.items() if media.headlines[key.benchmark] == key.metric}


@pytest.fixture(scope="module")
def kept(media: Media) -> Figures:
    """Norms kept on each rung, by group, as the frame of the ladder has them."""
    return {of(row, "kept"): told(row, "kept") for row in media.runs.tables["ladder"]}


def wholes(found: Figures) -> Figures:
    return {key: each for key, each in found.items() if not key.kind}


def test_both_jsons_have_the_figures_of_the_frame_and_no_others(media: Media, figures: Figures) -> None:
    for lines in (media.run_json, media.report["runs"]):
        found = {
            of_estimate(line["model"], benchmark, each["metric"], each["group"].items()): told(each, "value")
            for line in lines
            for benchmark, asked in line["benchmarks"].items()
            for each in asked["estimates"]
        }
        assert found == figures
        assert {key.model for key in found} == {*MODELS}


def tables(media: Media) -> Iterator[Callable[[str], Iterable[Mapping[str, Any]]]]:
    """Rows of a table by its id: as a frame, as JSON, as CSV."""
    analyses = {id_: rows for each in media.report["analyses"].values() for id_, rows in each.items()}
    yield media.runs.tables.__getitem__
    yield analyses.__getitem__
    yield lambda name: rows_of_csv(media.folder / "csv" / f"{name}.csv")


def test_analyses_in_frames_json_and_csv_have_the_same_figures(
    media: Media, figures: Figures, headlines: Figures, kept: Figures
) -> None:
    for rows in tables(media):
        assert {of(row, row["metric"]): told(row, "figure") for row in rows("metrics")} == wholes(figures)
        assert {of(row, row["metric"]): told(row, "figure") for row in rows("groups")} == headlines
        assert {of(row, "kept"): told(row, "kept") for row in rows("ladder")} == kept
        assert {of(row, "kept"): told(row, "figure") for row in rows("leaderboard")} == wholes(kept)
        for row in rows("ladder"):
            if row["headline_asked"] is not None:
                key = of(row, media.headlines[row["benchmark"]])
                assert told(row, "headline", "headline_") == headlines[key], key
        gone = [row for row in rows("ladder") if row["asked"] and row["kept"] is None]
        alone = [row for row in gone if row["judge_low"] is not None]
        lost = [(row["why"], row["headline_why"]) for row in gone if row not in alone]
        assert {row["why"] for row in alone} == {"no point before labels, see the judge band"}
        assert lost == [("nothing graded", "nothing graded")] * len(lost) != []
    written = csv.DictReader((media.folder / "csv" / "estimates.csv").read_text().splitlines())
    assert [*written] == [
        {key: "" if value is None else str(value) for key, value in row.items()} | {"run": "run"}
        for row in media.runs.estimates
    ]


def test_figures_are_drawn_of_the_same_values(media: Media, headlines: Figures, kept: Figures) -> None:
    drawn = {figure.name: [*csv.DictReader(StringIO(to_csv(figure)))] for figure in figures_of(media.runs.results)}
    assert by_rung(drawn["leaderboard"], "label", "panel") == wholes(kept)
    assert by_rung(drawn["summary-norms-kept-by-rung"], "series", "label") == wholes(kept)
    for model in MODELS:
        (name,) = (name for name in drawn if re.sub(r"\W+", "-", f"ladder-the-ladder-of-{model}").startswith(name))
        points = {(point["label"], point["panel"]): point_of(point) for point in drawn[name] if point["asked"]}
        of_model = {key: each for key, each in kept.items() if key.model == model and each.asked}
        assert points == {(key.name if key.kind else "All norms", key.rung): each for key, each in of_model.items()}
    for benchmark in media.headlines:
        own = {key: each for key, each in headlines.items() if key.benchmark == benchmark}
        assert dict(shaded(drawn[f"places-{benchmark.replace('/', '-')}-by-place-and-group"], own)) == own


@pytest.mark.parametrize("medium", ["page", "latex"])
def test_the_page_and_latex_show_every_metric_and_every_group(
    media: Media, figures: Figures, headlines: Figures, medium: str
) -> None:
    grids = getattr(media, medium)
    for key in wholes(figures):
        head, *rows = grids[f"All metrics of {key.benchmark}"]
        longer = [each.metric for each in figures if each.metric.startswith(key.metric) and each.metric != key.metric]
        (row,) = (row for row in rows if row[0].startswith(key.metric) and not row[0].startswith((*longer, "\n")))
        assert media.says(row[head.index(key.model)], key, figures), key
    for key in headlines:
        head, *rows = grids[f"{key.benchmark} by place and group"]
        assert media.says(row_of(rows, key)[head.index(key.model)], key, headlines), key


@pytest.mark.parametrize("medium", ["page", "latex"])
def test_the_page_and_latex_climb_the_same_rungs(media: Media, headlines: Figures, kept: Figures, medium: str) -> None:
    grids = getattr(media, medium)
    for key, each in kept.items():
        head, *rows = grids[f"The ladder of {key.model}"]
        cell = row_of(rows, key)[head.index(key.rung)]
        assert says(cell, each) if each.asked else cell == "–", key
        head, *rows = grids[f"Headlines of {key.model} on the ladder"]
        (row,) = (row for row in rows if is_named(row[0], key))
        (cell,) = (cell for cell, title in zip(row, head, strict=True) if title.startswith(f"{key.rung} "))
        headline = key._replace(metric=media.headlines[key.benchmark])
        assert media.says(cell, headline, headlines) if headline in headlines else cell == "–", key
    for key, each in wholes(kept).items():
        head, *rows = grids["Leaderboard: models by benchmark"]
        (row,) = (row for row in rows if row[0].startswith(f"{key.model} "))
        assert says(row[head.index(key.rung)], each), key


def test_the_table_for_a_paper_and_the_full_screen_have_the_headlines(media: Media, headlines: Figures) -> None:
    lines = [line.split(" & ") for line in media.table.splitlines() if " & " in line]
    heads = [cell.strip(" \\") for cell in lines[0]]
    screen = summary(media.full)
    for key in wholes(headlines):
        (number,) = (n for n, line in enumerate(lines) if line[0].strip().startswith(f"{key.model}$"))
        beneath = [line for line in lines[number + 1 : number + 3] if not line[0].strip()]
        column = heads.index(key.benchmark)
        own = [re.sub(r"\\.*|[{}]", "", line[column]) for line in (lines[number], *beneath)]
        own[2:] = [f"({band})" for band in own[2:] if band.strip()]
        assert media.says("".join(own), key, headlines), key
        assert media.says(screen[key.model, key.benchmark], key, headlines), key


def summary(full: str) -> dict[tuple[str, str], str]:
    """The first figure of each row of the summary, by model and benchmark."""
    found: dict[tuple[str, str], str] = {}
    benchmark = ""
    for line in full.partition("\nSummary\n")[2].partition("\n\n")[0].splitlines():
        head = re.match(r"\S.* (ladder/\w+) version", line)
        benchmark = head[1] if head else benchmark
        for model in MODELS:
            if line.startswith(f"  {model} "):
                found.setdefault((model, benchmark), re.split(r"\s{2,}", line.strip())[1])
    return found


def test_the_full_screen_climbs_the_same_rungs_and_has_the_same_groups(
    media: Media, headlines: Figures, kept: Figures
) -> None:
    for model in MODELS:
        (line,) = (line for line in media.full.splitlines() if line.startswith(f"{model} (simulated), norms kept"))
        rungs = dict(told.strip().split(" ", 1) for told in re.split(r"[,.:](?= [a-z]+ [\d−–])", line)[1:])
        for key, each in wholes(kept).items():
            assert key.model != model or says(rungs[key.rung], each), key
    seen = 0
    for benchmark in media.headlines:
        part = media.full.rpartition(f" {benchmark}\n  ")[2].partition("\n\n")[0]
        for name, _, *cells in (re.split(r"\s{2,}", line.strip()) for line in part.splitlines() if "  " in line[2:]):
            for key in headlines:
                if key.benchmark == benchmark and key.kind in {"place", "apart"} and key.name == name:
                    assert media.says(cells[MODELS.index(key.model)], key, headlines, n=False), key
                    seen += 1
    assert seen > len(media.headlines)
