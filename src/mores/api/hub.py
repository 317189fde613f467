"""Dataset of results for the Hugging Face hub: tables of each benchmark, a page, and headlines for models' pages.

results ─▶ README.md, eval.yaml, data/BENCHMARK/TABLE.parquet, models/DEVELOPER/MODEL/.eval_results/mores-BENCHMARK.yaml

Paths of this machine stay here, and so do the words of items whose licence does not permit to pass them on.
"""

from collections.abc import Mapping, Sequence

from mores.analysis.results import Result, Results
from mores.api.frames import Frame, FrameColumn
from mores.api.tables import results_frame
from mores.core.canary import CANARY_LINE
from mores.exports import ExportedFiles
from mores.exports.hub.eval_results import check_repo, eval_results, why_left_out
from mores.exports.hub.licences import why_kept
from mores.exports.hub.names import public_name, without_folders
from mores.exports.hub.texts import TABLES, task_id, texts_of
from mores.exports.samples import SUBJECT, turns_of

CLOSED = frozenset({
    "run", "model", "benchmark", "version", "judges", "simulated", "item", "part", "unit", "place", "sample", "task",
    "verdict", "points", "label", "fault", "cause", "votes", "votes_asked", "cut", "metric", "value", "least", "most",
    "weight", "asked", "graded",
})  # fmt: skip
"""Columns of items, verdicts and scores that are published whatever the licence: ids and verdicts, no words."""


def hub_dataset(results: Results, *, repo: str = "", as_departed: bool = False) -> ExportedFiles:
    """All results as a dataset of the hub, which will be called `repo`, and what is left out of it.

    With `as_departed` headlines of runs that depart from the protocol are written for models' pages too, with a note.

    Raises:
        InputError: no dataset can be called so, or a library that writes it is not installed.
    """
    if repo:
        check_repo(repo)
    files, left = dict(texts_of(results)), []
    for benchmark in results.benchmarks:
        own = results.on(benchmark)
        why = next(filter(None, map(why_kept, own)), "")
        tables = {name: _table(name, own, closed=bool(why)).to_parquet() for name in TABLES}
        files |= {f"data/{task_id(benchmark)}/{name}.parquet": data for name, data in tables.items()}
        left += [f"the words of the items of {benchmark}, as {why}"] if why else []
    for each in results.evaluations:
        why = why_left_out(each, as_departed=as_departed) or ("" if repo else "--push ORG/NAME says of which dataset")
        name, text = ("", b"") if why else eval_results(each, repo)
        why = why or ("another run of the model has one" if name in files else "")
        left += [f".eval_results of {public_name(each)} on {each.benchmark}: {why}"] if why else []
        files |= {} if why else {name: text}
    return ExportedFiles(files=files, left_out=tuple(left))


def _table(name: str, results: Sequence[Result], *, closed: bool) -> Frame:
    """One table of a benchmark's results as it may be published."""
    frame = results_frame(name, results)
    names = {str(each.run): each.run.resolve().name for each in results}
    names |= {each.label: public_name(each) for each in results}
    columns = {
        key: _named(column, names) if key in {"run", "model", "judges"} else column
        for key, column in frame.columns.items()
        if not closed or name == "estimates" or key in CLOSED
    }
    if name == "items" and not closed:
        words = _first_words(results)
        columns["question"] = FrameColumn("text", [words.get(str(item)) for item in frame["item"]])
        columns["canary"] = FrameColumn("text", [CANARY_LINE] * len(frame))
    return Frame(name=name, columns=columns)


def _named(column: FrameColumn, names: Mapping[str, str]) -> FrameColumn:
    """A column of names without the paths of this machine."""
    values = [each and names.get(str(each), without_folders(str(each))) for each in column.values]
    return FrameColumn(column.kind, values, column.codes)


def _first_words(results: Sequence[Result]) -> dict[str, str]:
    """The words that were put to a subject first, by item."""
    found: dict[str, str] = {}
    for result in results:
        for transcript in result.transcripts():
            if transcript.item not in found:
                found[transcript.item] = next((t.text for t in turns_of(transcript) if t.role != SUBJECT), "")
    return found
