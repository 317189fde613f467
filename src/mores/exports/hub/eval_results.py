"""Headlines for models' pages on the hub: `.eval_results/*.yaml`, one value a benchmark.

The format has no place for an interval, judges or a protocol: they stand in its notes. What nobody could hold against
other results is left out, with the reason.
"""

import re
from collections.abc import Iterator

from mores.analysis.results import Result
from mores.core.errors import InputError
from mores.core.estimate import caution_of, judge_band_of
from mores.data.download import hub_library
from mores.data.sources import HUB
from mores.exports.every_eval_ever import developer_and_model
from mores.exports.hub.names import without_folders
from mores.exports.hub.texts import as_yaml, task_id
from mores.models.registry import is_real
from mores.runs.selection import Shard
from mores.runs.spec import spec_in
from mores.tables.formatting import JUDGE_BAND, format_graded, format_judge_band, setting_name
from mores.tables.missing_texts import format_caution

REPO = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def check_repo(repo: str) -> None:
    """Refuse a name that no dataset of the hub can have.

    Raises:
        InputError: it is none.
    """
    if not REPO.fullmatch(repo):
        raise InputError(f"--push {repo}: expected the name of a dataset on the hub, ORG/NAME.")


def why_left_out(result: Result, *, as_departed: bool) -> str:
    """Reason why a headline is none for a model's page; empty where it is one."""
    whole, made = result.overall(), result.provenance
    if result.simulated:
        return "it is simulated"
    if not is_real(result.model) and not result.model.startswith("recorded/"):
        return "it is a baseline"
    if result.partial or Shard.read(spec_in(result.folder).shard).of > 1 or made.plays.done < made.plays.asked:
        return "it is a part of a run"
    if result.changed:
        return f"{result.changed[0]} was changed after the run"
    if whole is None or whole.value is None or result.mostly_ungraded:
        return "most of it is not graded"
    departures = describe_departures(result)
    return "" if as_departed or not departures else f"{departures}; --as-departed writes it with a note"


def describe_departures(result: Result) -> str:
    """Departures from the protocol that a run has chosen, in words; empty where it chose none."""
    made = result.provenance
    chosen = [f"{setting_name(each.setting)} {each.plain}" for each in made.departures if not each.by_default]
    places = [f"places {', '.join(made.places)}"] if made.places else []
    return without_folders("; ".join([*chosen, *places]))


def eval_results(result: Result, repo: str) -> tuple[str, bytes]:
    """Path and text of a model's file with one headline, whose source is the dataset of results `repo`.

    The path begins with the model's folder, so that each folder is what is uploaded to a model.
    """
    whole, id_ = result.overall(), task_id(result.benchmark)
    entry = hub_library().EvalResultEntry(
        dataset_id=repo,
        task_id=id_,
        value=None if whole is None else whole.value,
        date=result.provenance.written,
        source_url=f"{HUB}/{repo}",
        source_name="mores",
        notes="; ".join(_notes(result)),
    )
    folder = "/".join(("models", *developer_and_model(result.model), ".eval_results"))
    return f"{folder}/mores-{id_}.yaml", as_yaml(hub_library().eval_result_entries_to_yaml([entry]))


def _notes(result: Result) -> Iterator[str]:
    whole, made = result.overall(), result.provenance
    if whole is not None:
        if whole.low is not None and whole.high is not None:
            yield f"{result.headline}, 95 % {whole.low:.3f}–{whole.high:.3f}"
        yield f"{format_graded(whole)} {result.counted}"
        caution, band = caution_of(whole), judge_band_of(whole)
        if band is not None:
            yield f"{JUDGE_BAND} {format_judge_band(band, result.described)}"
        if caution is not None:
            yield format_caution(caution)
    if result.own_judges:
        yield "it judged itself"
    if result.judges:
        yield f"judged by {without_folders(', '.join(result.judges.values()))}"
    if any(each.by_default for each in made.departures):
        yield "prompts in mores' own words"
    departures = describe_departures(result)
    if departures:
        yield f"departs from the protocol: {departures}"
    yield f"mores {made.mores}, card {made.card.version}"
