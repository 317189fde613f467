"""An unfinished run as far as it came: plays whose every call is in its journal, put down in a folder of their own.

Nothing is asked, and the run's own folder is only read, so that another process may be writing to it.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from mores.analysis.results import NotBegun
from mores.analysis.results import Results as Found
from mores.models.budget import Price
from mores.models.cast import Cast
from mores.models.client import ClientUsage
from mores.models.journal import request_key
from mores.models.journal_reader import EarlierJournal
from mores.models.model import KeyedModel
from mores.models.provider import provider_of
from mores.models.recorded import AS_THEY_ARE
from mores.models.registry import Connection, open_model
from mores.models.request import Reply, ReplyPending, Request
from mores.runs.client_pool import addresses, rates_of
from mores.runs.evaluation import ESTIMATES, SO_FAR, Evaluation, ResultWriter, finish_evaluation
from mores.runs.executor import perform, put_down
from mores.runs.folder import JOURNAL, MANIFEST
from mores.runs.loading import read_what_is_there
from mores.runs.manifest import evaluation_manifest
from mores.runs.spec import conditions_in, spec_in
from mores.runs.stored_plays import StoredPlays
from mores.runs.study import Study


class _Endpoint(Struct, frozen=True, kw_only=True):
    """An endpoint that is not reached: no key of its provider is needed to read what it said."""

    spec: str
    identity: str
    reads_key: bool = False
    by_item: bool = False


class _FromJournal(Struct, frozen=True):
    """The voice of a model in one journal, and what it took to say it; US dollars of a token where they are known."""

    model: KeyedModel
    journal: EarlierJournal
    rate: Price | None
    tally: ClientUsage = field(default_factory=ClientUsage)

    async def ask(self, request: Request) -> Reply:
        """The journalled reply.

        Raises:
            ReplyPending: there is none.
        """
        reply = self.journal.find(request_key(self.model, request))
        if reply is None:
            raise ReplyPending(f"{self.model.spec}: not answered yet")
        self.tally.from_journal += 1
        self.tally.count(reply.usage)
        return reply

    def used(self) -> dict[str, Any]:
        """Manifest of a model."""
        per_token = self.rate.per_token if self.rate else None
        price = {"price": {"per_token": per_token}} if isinstance(self.model, _Endpoint) else {}
        return {"identity": self.model.identity, "sitting": self.tally, **price}


@contextmanager
def read_partial(runs: Sequence[Path]) -> Iterator[Found]:
    """The results of runs, of those that are not finished as far as they came; files behind them last as long as this.

    Evaluations of which no play is done yet are among the missing.

    Raises:
        InputError: a folder is no run, or its benchmark or data cannot be read.
    """
    whole = read_what_is_there(runs)
    if not whole.partial:
        yield whole
        return
    with TemporaryDirectory(prefix="mores-") as scratch:
        instead: dict[Path, Path] = {}
        cut = {each.run for each in whole.every if each.partial} | {each.run for each in whole.missing}
        for number, run in enumerate(each for each in runs if each in cut):
            for evaluation, study in _unfinished(run):
                # Not in its own folder, to which the run may be writing.
                folder = Path(scratch) / f"{number}-{evaluation.folder.name}"
                folder.mkdir()
                if asyncio.run(_put_down(study, evaluation, folder)):
                    instead[evaluation.folder] = folder
        found = read_what_is_there(runs, instead)
        none = tuple(NotBegun(each.run, each.model, each.benchmark) for each in found.every if each.partial)
        some, variants = ([each for each in of if not each.partial] for of in (found.evaluations, found.variants))
        yield replace(found, evaluations=tuple(some), variants=tuple(variants), missing=(*none, *found.missing))


def written_files(run: Path) -> Iterator[Path]:
    """The files that change while a run goes on: its manifests and journals."""
    names = (MANIFEST, JOURNAL, f"{JOURNAL}-wal")
    return (path for name in names for path in (run / name, *run.glob(f"*/{name}")) if path.is_file())


def _unfinished(run: Path) -> Iterator[tuple[Evaluation, Study]]:
    study = Study(spec=spec_in(run), conditions=conditions_in(run), folder=run)
    for evaluation in study.evaluations():
        if (evaluation.folder / JOURNAL).is_file() and not (evaluation.folder / ESTIMATES).is_file():
            yield evaluation, study


async def _put_down(study: Study, evaluation: Evaluation, folder: Path) -> bool:
    """True if any play is done; those that are stand in the folder, in the order of the plan."""
    with ExitStack() as held:
        journal = held.enter_context(closing(EarlierJournal(evaluation.folder / JOURNAL)))
        earlier = None if evaluation.source is None else held.enter_context(closing(StoredPlays(evaluation.source)))
        voices = _voices(study, evaluation, journal)
        own = {role: voices[spec] for role, spec in evaluation.asked.items()}
        blind = frozenset(role for role, voice in own.items() if not voice.model.reads_key)
        results = ResultWriter(folder, judged=evaluation.judged)
        await _play(evaluation, Cast(own, blind=blind), results, earlier)
        if not results.written:
            results.drop()
            return False
        manifest = evaluation_manifest(evaluation, study.spec, study.conditions, {}, {})
        manifest["models"] = {spec: voice.used() for spec, voice in voices.items()}
        finish_evaluation(replace(evaluation, folder=folder), results, manifest, state=SO_FAR)
        return True


async def _play(evaluation: Evaluation, cast: Cast, results: ResultWriter, earlier: StoredPlays | None) -> None:
    for item in evaluation.items:
        for sample in range(evaluation.setting.protocol.samples):
            try:
                left = await perform(evaluation, item, sample, cast, earlier)
            except ReplyPending:
                continue
            # In the next place, so that plays without an answer leave no gap.
            put_down(results, results.written, evaluation, item, left)


def _voices(study: Study, evaluation: Evaluation, journal: EarlierJournal) -> Mapping[str, _FromJournal]:
    urls = addresses(study.spec, (evaluation,))
    rates = rates_of(study.spec, urls)
    return {
        spec: _FromJournal(_model(spec, study, urls[spec]), journal, rates[spec])
        for spec in dict.fromkeys(evaluation.asked.values())
    }


def _model(spec: str, study: Study, base_url: str | None) -> KeyedModel:
    provider = provider_of(spec)
    if provider.elsewhere:
        return _Endpoint(spec=spec, identity=provider.identity(base_url))
    columns = study.spec.columns if spec in study.spec.models else AS_THEY_ARE
    return open_model(spec, study.spec.root_seed, Connection(columns=columns))
