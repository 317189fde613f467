"""Texts of a dataset of results: its page, the benchmark file of the hub, and a card for each benchmark."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from mores.analysis.results import Result, Results
from mores.benchmarks import catalogue
from mores.core.canary import CANARY_LINE
from mores.core.codec import encode
from mores.core.estimate import caution_of, judge_band_of
from mores.core.extras import needed
from mores.core.languages import ANY_LANGUAGE, language_of
from mores.exports.hub.licences import licence_of, why_kept
from mores.exports.hub.names import public_name, without_folders
from mores.tables.formatting import (
    JUDGE_BAND,
    SIMULATED,
    format_graded,
    format_interval,
    format_judge_band,
    format_number,
    setting_name,
)
from mores.tables.missing_texts import format_caution

Texts = Mapping[str, bytes]
HEADS = ("benchmark", "model", "metric", "value", "95% interval", JUDGE_BAND, "n", "judges")
HEADS = ("benchmark", "model", "metric", "value", "95% interval", JUDGE_BAND, "n", "judges")
TABLES = ("items", "verdicts", "scores", "estimates")
"""Tables of a benchmark, the one that the hub shows first."""


def task_id(benchmark: str) -> str:
    """Name of a benchmark where no slash may stand.

    >>> task_id("culturalbench/hard")
    'culturalbench_hard'
    """
    return benchmark.replace("/", "_")


def as_yaml(value: object) -> bytes:
    """YAML with its keys in their order."""
    text: str = needed("yaml").safe_dump(value, sort_keys=False, allow_unicode=True, width=100)
    return text.encode()


def texts_of(results: Results) -> Texts:
    """All texts by their paths in the dataset."""
    cards = {f"data/{task_id(each.benchmark)}/benchmark_card.json": _card(each) for each in _firsts(results)}
    return {"README.md": _page(results), "eval.yaml": as_yaml(_benchmark_file(results)), **cards}


def _firsts(results: Results) -> tuple[Result, ...]:
    """The first result of each benchmark."""
    return tuple(results.on(benchmark)[0] for benchmark in results.benchmarks)


def _benchmark_file(results: Results) -> dict[str, object]:
    return {
        "name": "mores",
        "description": "How well language models live with other people's norms.",
        "evaluation_framework": "mores",
        "tasks": [{"id": task_id(name), "config": task_id(name), "split": "test"} for name in results.benchmarks],
    }


def _page(results: Results) -> bytes:
    lines = ["---", as_yaml(_metadata(results)).decode().rstrip(), "---", "", *_body(results)]
    return ("\n".join(lines) + "\n").encode()


def _metadata(results: Results) -> dict[str, object]:
    licences = sorted({licence_of(each) for each in results.evaluations})
    one = len(licences) == 1 and not any(map(why_kept, results.evaluations))
    licence = {"license": licences[0].lower()} if one else {"license": "other", "license_name": "by-benchmark"}
    languages = sorted({language for each in results.evaluations for language in _languages(each)})
    regional = [tag for tag in languages if tag != language_of(tag).subtag]
    judged = any(each.judges for each in results.evaluations)
    return {
        **licence,
        **({"language": sorted({language_of(tag).subtag for tag in languages})} if languages else {}),
        **({"language_bcp47": regional} if regional else {}),
        "task_categories": ["text-generation"] if judged else ["question-answering"],
        "pretty_name": "Results of mores",
        "tags": ["mores", "evaluation-results", *(["simulated"] if results.simulated else [])],
        "configs": [
            {
                "config_name": task_id(benchmark) if table == TABLES[0] else f"{task_id(benchmark)}-{table}",
                "data_files": [{"split": "test", "path": f"data/{task_id(benchmark)}/{table}.parquet"}],
                **({"default": True} if (number, table) == (0, TABLES[0]) else {}),
            }
            for number, benchmark in enumerate(results.benchmarks)
            for table in TABLES
        ],
    }


def _languages(result: Result) -> set[str]:
    """BCP 47 tags of the languages that a benchmark was asked in; none where nobody here knows it."""
    known = catalogue.load(result.benchmark).prompts if result.benchmark in catalogue.names() else ()
    asked = result.provenance.prompts
    return {prompt.header.language for prompt in known if prompt.header.name in asked} - {ANY_LANGUAGE}


def _body(results: Results) -> Iterator[str]:
    yield "# Results of mores"
    if results.simulated:
        yield from ("", f"**{SIMULATED}**")
    yield from ("", _cells(HEADS), _cells(["---"] * len(HEADS)))
    yield from (_cells(_row(each)) for each in results.evaluations)
    yield from ("", "## Benchmarks", "")
    yield "Of each there are `items`, `verdicts`, `scores` (a row a metric, unit and sample) and `estimates`."
    yield from (line for each in results.benchmarks for line in ("", _benchmark(results.on(each))))
    yield from ("", "## How each figure was made", "")
    yield from (f"- {_made(each)}" for each in results.evaluations)
    yield from ("", "## Please keep it out of training", "", f"`{CANARY_LINE}`")


def _cells(cells: Sequence[str]) -> str:
    """One row of a table."""
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _row(result: Result) -> tuple[str, ...]:
    model = f"{public_name(result)} (simulated)" if result.simulated else public_name(result)
    return (
        result.benchmark,
        model,
        result.headline,
        *_figure(result),
        without_folders(", ".join(result.judges.values())),
    )


def _figure(result: Result) -> tuple[str, str, str, str]:
    """Value of a headline with the caution that belongs to it, its interval, judge band and n."""
    whole, described = result.overall(), result.described
    if whole is None:
        return "–", "", "", ""
    caution, band = caution_of(whole), judge_band_of(whole)
    value = format_number(whole.value, described) + (f" ({format_caution(caution)})" if caution else "")
    judged = format_judge_band(band, described) if band else ""
    return value, format_interval(whole, described), judged, format_graded(whole)


def _benchmark(results: Sequence[Result]) -> str:
    first, why = results[0], next(filter(None, map(why_kept, results)), "")
    card = first.card
    words = f"no words of its items are here, as {why}" if why else "with the words of its items"
    measures = f"{card.measures} Not measured: {card.not_measured} Source: {card.source}. " if card else ""
    licence = f"Licence of its items: {licence_of(first) or 'not known'}; {words}."
    return f"**{first.benchmark}**, card {first.provenance.card.version}: {measures}{licence}"


def _made(result: Result) -> str:
    made = result.provenance
    data = ", ".join(made.fetched or made.data) or "bundled with mores"
    gone = "; ".join(f"{setting_name(each.setting)} {each.plain}" for each in made.departures)
    return without_folders(
        f"{public_name(result)} on {result.benchmark}: data {data}; deviations from the protocol: {gone or 'none'}; "
        f"mores {made.mores}."
    )


def _card(result: Result) -> bytes:
    """Statements of a benchmark's card in the layout of BenchmarkCards; what it does not say is left out."""
    card = result.card
    found: dict[str, Any] = {"benchmark_details": {"name": result.benchmark}}
    if card is not None:
        found = {
            "benchmark_details": {
                "name": card.name,
                "overview": card.title,
                "languages": sorted(_languages(result)),
                "resources": [card.source],
            },
            "purpose_and_intended_users": {
                "goal": card.measures,
                "out_of_scope_uses": [card.not_measured],
                "limitations": " ".join(card.notes),
            },
            "data": {
                "source": card.source,
                "size": f"{card.items} items, {card.units} units",
                "format": ", ".join(card.files),
            },
            "methodology": {
                "metrics": [f"{metric.name}: {metric.says}" for metric in card.metrics],
                "calculation": card.protocol.source,
                "baseline_results": "" if card.chance is None else f"guessing gets {card.chance} of {card.headline}",
            },
            "ethical_and_legal_considerations": {"data_licensing": card.licence},
        }
    return msgspec.json.format(encode(found), indent=2) + b"\n"
