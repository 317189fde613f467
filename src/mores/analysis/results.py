"""Results of a model on a benchmark as values; whoever reads the folder hands in what stays on disk.

run folder ─▶ manifest, estimates, card ─▶ Result (one model on one benchmark) ─▶ Results
"""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple
from typing import Protocol as Capability

from msgspec import Struct, field
from msgspec.structs import replace

from mores.analysis.answer_quality import AnswerQuality, QualityContext, answer_quality
from mores.analysis.judge_errors import KnownJudgeErrors, judge_band
from mores.core.card import Card, Departure, Metric, Protocol, SequentialTest, Variant
from mores.core.code_errors import attempt
from mores.core.estimate import (
    Caution,
    Estimate,
    JudgeBand,
    MetricRows,
    Scores,
    cautioned,
    gravest,
    judge_band_of,
    shown,
)
from mores.core.transcript import ItemMetadata, Transcript
from mores.core.verdict import Ungraded, Verdict, VerdictLine, Vote
from mores.core.verdict_table import VerdictTable
from mores.models.budget import BATCH
from mores.models.error_messages import OVERFLOW
from mores.models.journal_reader import Entry, ReasoningUsage
from mores.models.logs.logged_reply import ReplyCounts
from mores.models.registry import same_model
from mores.models.verifier_facts import VerifierCalibration, VerifierFacts

JUDGES = "judge"
"""Beginning of the names of judges' roles."""
RECORDED = "recorded/"
"""Beginning of the names of models whose answers are played back."""
VERIFIED = "norm"
"""The task that a trained verifier knows."""
REFUSED = (OVERFLOW, "http 4")
"""Causes that an endpoint explains in words of its own."""


class Pricing(Struct, frozen=True, kw_only=True):
    """Source of prices, those of a token in, out and perhaps in from a cache, and the session's cost so far."""

    table: str = ""
    per_token: tuple[float, ...] | None = None
    spent_so_far: float = 0.0


class ModelUsage(Struct, frozen=True, kw_only=True):
    """Usage of one model in the last session.

    `altered` says what its endpoint would not take, `neutral` which settings kept its server from drawing words by its
    own taste, `usage_doubted` why its counts of tokens were not believed, and for how many calls, `remarks` what was
    odd in answers that were kept, and in how many. `recording` is what became of the replies of another program's log.
    `trained` are the facts of a verifier that mores trained.
    """

    identity: str = ""
    session: dict[str, int] = field(default_factory=dict, name="sitting")
    altered: tuple[str, ...] = ()
    neutral: dict[str, float] = field(default_factory=dict)
    limit_lowered: int = 0
    price: Pricing | None = None
    usage_estimated_calls: int = 0
    usage_doubted: dict[str, int] = field(default_factory=dict)
    remarks: dict[str, int] = field(default_factory=dict)
    recording: ReplyCounts | None = None
    trained: VerifierFacts | None = None

    @property
    def odd(self) -> tuple[str, ...]:
        """In words, what its endpoint counted or answered that a reader must know of, with how often."""
        doubted = (f"it counted {why} ({calls:,} calls)" for why, calls in sorted(self.usage_doubted.items()))
        return (*doubted, *(f"{what} ({calls:,} answers)" for what, calls in sorted(self.remarks.items())))

    @property
    def cost(self) -> float | None:
        """US dollars of the last session's calls, at most: cached input counts in full, unless it has a price.

        None without a price.
        """
        if self.price is None or self.price.per_token is None:
            return None
        into, out, *cached = self.price.per_token
        # cached tokens are among the input tokens: what they cost less comes off
        less = sum(self._paid("cached_tokens") * (price - into) for price in cached)
        return self._paid("input_tokens") * into + self._paid("output_tokens") * out + less

    def _paid(self, tokens: str) -> float:
        """Tokens that were paid for in full; those of a batch cost half."""
        # tokens of batches are counted among all tokens, and cost a part of their price
        return self.session.get(tokens, 0) - (1 - BATCH) * self.session.get(f"batch_{tokens}", 0)


class CardTrace(Struct, frozen=True, kw_only=True):
    """State of the card that a run was made with."""

    version: str
    fingerprint: str = ""
    source: str = ""
    items: int = 0


class Plays(Struct, frozen=True, kw_only=True):
    """Plays that were planned and that ended."""

    asked: int = 0
    done: int = 0


class Provenance(Struct, frozen=True, kw_only=True):
    """Record in a cell's manifest of how its figures were made; `data` maps file names to their SHA-256.

    `fetched` names the repositories with revisions that the data were fetched from.
    `remarks` are the benchmark's, `judged` is the earlier run whose plays were judged again, `took` counts seconds of
    the last session, `until` is the claim that ended the asking, `places` are those it was limited to (none for all),
    `sent` is what its subject was told beside.
    """

    card: CardTrace
    protocol: Protocol
    departures: tuple[Departure, ...] = ()
    sent: dict[str, object] = field(default_factory=dict)
    prompts: dict[str, str] = field(default_factory=dict)
    items: int
    roles: dict[str, str]
    facts: dict[str, str | None] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=dict)
    fetched: tuple[str, ...] = ()
    models: dict[str, ModelUsage] = field(default_factory=dict)
    failed_attempts: dict[str, int] = field(default_factory=dict)
    ungraded: dict[str, int] = field(default_factory=dict)
    plays: Plays = field(default_factory=Plays)
    remarks: tuple[str, ...] = ()
    judged: str | None = None
    until: SequentialTest | None = None
    seed: int = 0
    places: tuple[str, ...] = ()
    spec_hash: str = ""
    mores: str = ""
    git: str | None = None
    written: str = ""
    took: dict[str, float] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)
    machine: dict[str, str | int | None] = field(default_factory=dict)


class ResultStore(Capability):
    """Source of what stays on disk until it is asked for; whoever reads a run's folder knows where."""

    def verdicts(self) -> Iterator[Verdict]:
        """All verdicts, as they stand there."""

    def verdict_lines(self) -> Iterator[tuple[ItemMetadata, VerdictLine]]:
        """The same as plain lines, with what each is about."""

    def verdicts_of(self, plays: Container[tuple[str, int]]) -> Iterator[Verdict]:
        """Those of some plays, by item and sample."""

    @property
    def verdict_table(self) -> VerdictTable:
        """All verdicts in columns, read once."""

    @property
    def headline_rows(self) -> MetricRows:
        """Those of the headline, which need not wait for others."""

    def headline_of(self, table: VerdictTable) -> MetricRows | None:
        """Rows of the headline that other verdicts on the same plays would give; None where nobody can score them."""

    @property
    def headline_tasks(self) -> tuple[str, ...]:
        """The tasks that the headline rests on, which need not wait for scores."""

    @property
    def scores(self) -> Scores:
        """The rows of each metric, made once."""

    def votes(self) -> Iterator[Vote]:
        """Answers of each judge, one for each time that it was asked."""

    def transcripts(self) -> Iterator[Transcript]:
        """All transcripts, in the order of the plan."""

    def transcripts_of(self, plays: Iterable[tuple[str, int]]) -> Iterator[Transcript]:
        """That of each of some plays, by item and sample, without what judges said; a missing one is `not played`."""

    def calls(self) -> Iterator[Entry]:
        """All calls that were answered, in the order of item, sample, role and step."""

    def thought(self) -> Iterator[ReasoningUsage]:
        """The tokens of thinking of each reply of the subject; none where the journal was not kept."""


class Result(Struct, frozen=True, eq=False, kw_only=True):
    """Result of one model on one benchmark; `card` is None where this mores knows no such benchmark.

    `label` is the model's name, with its run where several of the runs have that model. `changed` names files that
    are not as the run left them. One that is `partial` was cut short: it has calls, and no figures yet. `standard` are
    metrics that it may have beside its card's. `errors` are what is known of those who judged it.
    """

    run: Path
    folder: Path
    model: str
    label: str
    benchmark: str
    headline: str
    simulated: bool
    estimates: tuple[Estimate, ...]
    card: Card | None
    provenance: Provenance
    stored: ResultStore
    changed: tuple[str, ...] = ()
    partial: bool = False
    standard: tuple[Metric, ...] = ()
    errors: KnownJudgeErrors = field(default_factory=KnownJudgeErrors)

    def __repr__(self) -> str:
        # Short: as a loop ends, Python words what its last task returned, which would be all figures and their units.
        return f"<Result of {self.label} on {self.benchmark} in {self.folder}>"

    @property
    def chance(self) -> float | None:
        """Share that guessing gets of the headline, where the card knows it."""
        return self.card.chance if self.card else None

    @property
    def variant(self) -> Variant:
        """In which wording and order it was asked."""
        return self.provenance.protocol.variant

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of all metrics, the headline first."""
        return tuple(dict.fromkeys((self.headline, *(e.metric for e in self.estimates))))

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of groups that figures are broken down by, in the card's order."""
        return tuple(dict.fromkeys(kind for e in self.estimates for kind in e.group))

    def overall(self, metric: str | None = None) -> Estimate | None:
        """The figure of one metric over everything, by default the headline; None where there is none."""
        name = metric or self.headline
        return next((self.marked(e) for e in self.estimates if e.metric == name and not e.group), None)

    @property
    def quality(self) -> AnswerQuality:
        """Quality of its answers: cut, unreadable, refused, or all alike."""
        return answer_quality(self.verdict_table, self._asked)

    def _asked(self) -> QualityContext:
        return QualityContext(
            task=next(iter(self.headline_tasks), ""),
            kinds=self.kinds,
            protocol=self.provenance.protocol,
            recorded=self.model.startswith(RECORDED),
            plays=self.stored.transcripts,
        )

    def caution(self, metric: str, group: Mapping[str, str]) -> Caution | None:
        """Caution on a figure of its answers, or of those of a group; None where most can be used."""
        if self.partial:
            return None
        what = f"the account of answers of {self.model} on {self.benchmark}"
        return attempt(what, lambda: self.quality.caution(group, metric), lambda _: None)

    def judge_band(self, figure: Estimate) -> JudgeBand | None:
        """Values of a figure for every judge of the stated or labelled range; None where no judge has a part in it."""
        metric = self.metric(figure.metric)
        if metric is None or not metric.judged or not self.judges:
            return None
        own = (e for e in self.estimates if e.metric == metric.shown and e.group == figure.group)
        # What was measured of a trained verifier is of norms, and labels of the same answers are of one figure alone.
        measured = self.calibration if VERIFIED in self.stored.headline_tasks else None
        return judge_band(figure, metric, next(own, None), self.errors.unlabelled(measured))

    def marked(self, figure: Estimate) -> Estimate:
        """A figure of its answers, with the band of its judge, and a caution where most answers cannot be used."""
        judge = judge_band_of(figure) or self.judge_band(figure)
        return shown(figure, caution=self.caution(figure.metric, figure.group), judge=judge)

    @property
    def figures(self) -> tuple[Estimate, ...]:
        """All figures as they are shown, with what has to be known of them."""
        return tuple(map(self.marked, self.estimates))

    @property
    def is_mean(self) -> bool:
        """True if its headline is the mean over all its units."""
        return self.headline in self.scores.means

    @property
    def mostly_ungraded(self) -> bool:
        """True where less than half of what the headline asks about could be graded."""
        whole = self.overall()
        return whole is not None and 2 * whole.graded < whole.asked

    def by(self, kind: str, metric: str | None = None) -> dict[str, Estimate]:
        """The figures of one metric by the members of one kind of group."""
        name = metric or self.headline
        own = (e for e in self.estimates if e.metric == name and list(e.group) == [kind])
        return {e.group[kind]: self.marked(e) for e in own}

    def metric(self, name: str) -> Metric | None:
        """The card's entry for a metric; None where it has none."""
        known = (*(self.card.metrics if self.card else ()), *self.standard)
        return next((m for m in known if m.name == name), None)

    def listed(self, name: str = "") -> Metric:
        """A metric as tables list it, the headline by default; one that no card describes has its name alone."""
        return self.metric(name or self.headline) or Metric(name=name or self.headline, unit="unit", says="")

    @property
    def described(self) -> Metric | None:
        """The card's entry for the headline."""
        return self.metric(self.headline)

    @property
    def counted(self) -> str:
        """Name of what the headline counts, in the plural: `questions`; `units` where no card says."""
        return f"{self.described.unit}s" if self.described else "units"

    @property
    def judges(self) -> dict[str, str]:
        """Judges by role; empty where there are none."""
        return {role: spec for role, spec in sorted(self.provenance.roles.items()) if role.startswith(JUDGES)}

    @property
    def calibration(self) -> VerifierCalibration | None:
        """Calibration of the one verifier that judged, on other pairs; None for any other judge, or several."""
        usage = [self.provenance.models.get(spec) for spec in self.judges.values()]
        trained = usage[0].trained if len(usage) == 1 and usage[0] is not None else None
        return None if trained is None else trained.calibration

    @property
    def own_judges(self) -> tuple[str, ...]:
        """Judges that are the subject itself, here or at another provider."""
        return tuple(dict.fromkeys(spec for spec in self.judges.values() if same_model(spec, self.model)))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that verdicts are of, in their order."""
        return self.verdict_table.tasks

    @property
    def rubric(self) -> str | None:
        """The task that grades reasons, where answers have a label and reasons; else None."""
        return next(iter(self.stored.headline_tasks[1:]), None)

    def verdicts(self) -> Iterator[Verdict]:
        """The verdicts that the headline rests on, of labels alone where reasons are graded too."""
        kept = self.headline_tasks[:1]
        return (verdict for verdict in self.every_verdict() if verdict.task in kept)

    def answers(self) -> Iterator[tuple[Verdict, ...]]:
        """The verdicts on each answer, or each part of it that counts alone: its label's first, then its reasons'."""
        kept = self.headline_tasks
        chosen = (verdict for verdict in self.every_verdict() if verdict.task in kept)
        # verdicts on one answer lie next to each other on disk, so that nothing need be held
        for _, found in groupby(chosen, key=lambda v: (v.about.item, v.about.part, v.sample)):
            yield tuple(found)

    @property
    def headline_tasks(self) -> tuple[str, ...]:
        """The tasks that the headline rests on: the label's first, then the reasons'; else the first there is."""
        return self.stored.headline_tasks or self.tasks[:1]

    def every_verdict(self) -> Iterator[Verdict]:
        """All verdicts, as they stand on disk."""
        return self.stored.verdicts()

    @property
    def verdict_table(self) -> VerdictTable:
        """All verdicts in columns, read once."""
        return self.stored.verdict_table

    @property
    def scores(self) -> Scores:
        """The rows of each metric."""
        return self.stored.scores

    def transcripts(self) -> Iterator[Transcript]:
        """All that was said, judges' words too, play by play in the order of the plan."""
        return self.stored.transcripts()

    def causes(self) -> dict[str, int]:
        """Number of answers that are ungraded in their label or reasons, by the first cause, most frequent first."""
        if not self.provenance.ungraded:
            return {}
        first = (next((v.cause for v in answer if isinstance(v, Ungraded)), None) for answer in self.answers())
        return dict(Counter(cause for cause in first if cause is not None).most_common())

    def refused_with(self) -> dict[str, str]:
        """Words of an endpoint on each cause that is its refusal of a call, such as one that is too long."""
        causes = {cause for cause in self.provenance.ungraded if any(kind in cause for kind in REFUSED)}
        found: dict[str, str] = {}
        for verdict in (verdict for answer in (self.answers() if causes else ()) for verdict in answer):
            if isinstance(verdict, Ungraded) and verdict.raw and verdict.cause in causes:
                found.setdefault(verdict.cause, verdict.raw)
        return found


def caution_of_several(evaluations: Sequence[Result], metric: str, group: Mapping[str, str]) -> Caution | None:
    """Caution on a figure that is made of the answers of several evaluations."""
    return gravest([each.caution(metric, group) for each in evaluations])


def marked(figure: Estimate, evaluations: Sequence[Result]) -> Estimate:
    """A figure that is made of the answers of some evaluations, with what has to be known of these."""
    return cautioned(figure, caution_of_several(evaluations, figure.metric, figure.group))


class NotBegun(NamedTuple):
    """An evaluation of a run that was cut short before its turn."""

    run: Path
    model: str
    benchmark: str


class Results(Struct, frozen=True, eq=False, kw_only=True):
    """All evaluations of one or several runs, and what is known of those who judged them; `missing` were not begun.

    `variants` are the same evaluations in other wordings and orders: no figure counts them but that of their spread.
    `dates` are when items (or units) were written, by name, as far as somebody gave them.
    """

    runs: tuple[Path, ...]
    evaluations: tuple[Result, ...]
    judges: KnownJudgeErrors = field(default_factory=KnownJudgeErrors)
    missing: tuple[NotBegun, ...] = ()
    variants: tuple[Result, ...] = ()
    dates: Mapping[str, str] = field(default_factory=dict)

    @property
    def every(self) -> tuple[Result, ...]:
        """All evaluations, those in other wordings and orders last."""
        return (*self.evaluations, *self.variants)

    @property
    def simulated(self) -> bool:
        """True where any figure rests on made-up answers."""
        return any(evaluation.simulated for evaluation in self.evaluations)

    @property
    def partial(self) -> bool:
        """True where something of the runs is not finished, or was never begun."""
        return bool(self.missing) or any(evaluation.partial for evaluation in self.every)

    @property
    def so_far(self) -> tuple[int, int] | None:
        """Numbers of plays done and planned, where figures are of an unfinished run; else None."""
        plays = [evaluation.provenance.plays for evaluation in self.every]
        done, asked = sum(each.done for each in plays), sum(each.asked for each in plays)
        return (done, asked) if done < asked or self.missing else None

    @property
    def models(self) -> tuple[str, ...]:
        """Subjects, in the order of the runs."""
        return tuple(dict.fromkeys(evaluation.model for evaluation in self.evaluations))

    @property
    def labels(self) -> tuple[str, ...]:
        """Subjects by their labels: one that took part in two runs is two."""
        return tuple(dict.fromkeys(evaluation.label for evaluation in self.evaluations))

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """Benchmarks, in the order of the runs."""
        return tuple(dict.fromkeys(evaluation.benchmark for evaluation in self.evaluations))

    def judged_by(self, known: KnownJudgeErrors) -> "Results":
        """The same results with what is known of those who judged them."""
        evaluations, variants = (
            tuple(replace(each, errors=known) for each in some) for some in (self.evaluations, self.variants)
        )
        return replace(self, judges=known, evaluations=evaluations, variants=variants)

    def on(self, benchmark: str) -> tuple[Result, ...]:
        """The evaluations of one benchmark."""
        return tuple(evaluation for evaluation in self.evaluations if evaluation.benchmark == benchmark)

    def variants_of(self, first: Result) -> tuple[Result, ...]:
        """One evaluation in other wordings, orders and under controls, where it has figures, as far as these have."""
        own = (first.run, first.model, first.benchmark)
        same = (each for each in self.variants if (each.run, each.model, each.benchmark) == own)
        # a variant says something only beside a whole first form
        return () if first.partial else tuple(each for each in same if not each.partial)

    def of(self, label: str) -> tuple[Result, ...]:
        """The evaluations of one subject, by its label."""
        return tuple(evaluation for evaluation in self.evaluations if evaluation.label == label)
