"""`mores plan`: sample size, calls and cost of a run, before anybody is asked."""

# ruff: noqa: RUF009 - `option` makes a field
from collections.abc import Sequence
from dataclasses import MISSING, dataclass
from pathlib import Path

from msgspec.structs import fields

from mores.analysis.contrast import metric_range as reach_of_metric
from mores.analysis.power import Basis, MinimumSample, PlacePlan, PlanAssumption, PlanRequest, pilot_of
from mores.benchmarks import catalogue
from mores.benchmarks.ladder.contrasts import LABELS
from mores.benchmarks.ladder.planning import LadderPlan, RungPairPlan, plan_of_ladder
from mores.benchmarks.ladder.rungs import FAMILY
from mores.cli import screen
from mores.cli.args_run import AS_JSON, QUALITY
from mores.core.card import Metric
from mores.core.errors import InputError
from mores.models.registry import is_real
from mores.runs.cost_estimate import BenchmarkPlan, DryRunEstimate, RequiredSample, plan_of, unit_design
from mores.runs.loading import read_unchanged
from mores.runs.options import (
    NameArgument,
    PairArgument,
    RunOptions,
    argument,
    as_of_run,
    option,
)
from mores.runs.spec import Spec
from mores.runs.specify import specify
from mores.stats.intervals import MIN_CLUSTERS
from mores.stats.paired import power_quantile
from mores.tables import formatting as words
from mores.tables.missing_texts import format_missing, plain_fields

CENT = 0.01
LEAST_MOST = 3
"""Places named at each end of what they could show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanArgs:
    """Estimate sample size, calls and cost of finding a difference of two models, before a run."""

    benchmarks: list[str] = argument("Benchmarks or families.", MISSING)
    difference: float | None = option(
        "Difference to detect, in metric units (.05 of a share); default: three common ones."
    )
    discordance: float | None = option("Share of units on which two models differ.")
    model: NameArgument = as_of_run("model")
    judge: NameArgument = as_of_run("judge")
    role: PairArgument = as_of_run("role")
    samples: int | None = as_of_run("samples")
    power: float = option("Power: the chance to find the difference.", default=0.8)
    alpha: float = option("Level of the two-sided test.", default=0.05)
    design_effect: float | None = option("Design effect: how much clusters increase the variance.")
    judge_quality: float | None = option(QUALITY)
    earlier: list[Path] | None = option("Estimate missing values from this earlier run; repeatable.", "--from")
    places: NameArgument = as_of_run("places")
    data: str | Path | None = as_of_run("data")
    json: bool = AS_JSON


def plan(options: PlanArgs) -> None:
    """Print what some benchmarks could show, and what a difference takes.

    Raises:
        InputError: something typed cannot be used, or data is missing.
    """
    names = list(dict.fromkeys(name for given in options.benchmarks for name in catalogue.resolve(given)))
    specs = {name: _spec(options, name) for name in names}
    wanted, earlier = _wanted(options), read_unchanged(options.earlier) if options.earlier else None
    if earlier is not None and not set(earlier.benchmarks) & set(names):
        raise InputError(f"--from: the runs have {', '.join(earlier.benchmarks)}; expected one of {', '.join(names)}.")
    pilots = {name: None if earlier is None else pilot_of(earlier.on(name)) for name in names}
    plans = [plan_of(spec, wanted, pilots[name]) for name, spec in specs.items()]
    rungs = {name: unit_design(spec) for name, spec in specs.items() if name.startswith(FAMILY)}
    ladder = plan_of_ladder(rungs, wanted, earlier)
    if options.json:
        plain = {"plans": [plain_fields(each) for each in plans], "ladder": ladder}
        screen.print_json(plain)
        return
    if not options.model:
        screen.line("No --model is named, so there is no price: name the models that you want to ask.")
    for each in plans:
        _print_plan(each)
    for step in ladder:
        _say_ladder(step)


def _spec(options: PlanArgs, name: str) -> Spec:
    asked = {one: getattr(options, one) for one in ("model", "judge", "role", "samples", "places", "data")}
    return specify(RunOptions(benchmarks=name, **asked))[0]


def _wanted(options: PlanArgs) -> PlanRequest:
    shares = {"discordance": options.discordance, "judge-quality": options.judge_quality}
    for name, share in shares.items():
        if share is not None and not 0 < share <= 1:
            raise InputError(f"--{name} {share}: expected a share, above 0 and at most 1.")
    for name, size in {"difference": options.difference, "design-effect": options.design_effect}.items():
        if size is not None and not 0 < size < float("inf"):
            raise InputError(f"--{name} {size}: expected a number above 0.")
    power_quantile(options.power, options.alpha)
    return PlanRequest(**{one.name: getattr(options, one.name) for one in fields(PlanRequest)})


def _print_plan(plan: BenchmarkPlan) -> None:
    metric = plan.described
    screen.heading(f"{plan.benchmark} · {plan.metric}")
    clusters = "" if plan.clusters == plan.units else f" in {plan.clusters:,} clusters"
    whole = f" of {plan.available:,}" if plan.available != plan.units else ""
    seen = words.NOT_REACHABLE if plan.detectable is None else f"{words.format_size(plan.detectable, metric)} points"
    screen.line(
        f"{plan.units:,}{whole} {plan.unit}s{clusters}: the minimum detectable effect is {seen} "
        f"(power {plan.basis.power:g}, level {plan.basis.alpha:g})."
    )
    if plan.detectable is None:
        screen.line(_least(plan.floor, plan, plan.clusters))
    screen.facts(_basis(plan.basis, several=plan.basis.samples > 1))
    screen.line("Needed of each model to find a difference of")
    for need in plan.needs:
        screen.line(f"  {words.format_size(need.difference, metric)} points: {_format_need(need, plan)}")
    if plan.until:
        screen.line(_format_until(plan))
    screen.line(f"This plan: {_effort(plan.evaluations)}.")
    _say_places(plan)


def _basis(basis: Basis, *, several: bool) -> dict[str, object]:
    """Basis of a plan; the share that lasts from answer to answer bears on it where there are several."""
    return {
        "discordance": _assumed(basis.discordance),
        "lasting part of it": _assumed(basis.stable) if several else None,
        "answers to an item": basis.samples if several else None,
        "design effect": _assumed(basis.design_effect),
        "judge's quality J": _assumed(basis.judge_quality),
    }


def _assumed(figure: PlanAssumption) -> str:
    return f"{figure.value:.3g} ({figure.source})"


def _format_need(need: RequiredSample, plan: BenchmarkPlan) -> str:
    """Effort that a difference takes, and the way out where the units do not suffice."""
    if need.enough:
        return f"{need.units:,} {plan.unit}s; {_effort(need.evaluations)}."
    short = f"{need.units:,} {plan.unit}s, and there are {plan.available:,};"
    if need.samples is None:
        return f"{short} no number of answers to each is enough."
    return f"{short} {need.samples} answers to each would do (--samples {need.samples}): {_effort(need.evaluations)}."


def _format_until(plan: BenchmarkPlan) -> str:
    """Questions that `--until` would ask on average, by the difference."""
    none, *differing = plan.until
    sizes = [f"{none.units:,.0f} where there is no difference"]
    sizes += [
        f"{each.units:,.0f} ({100 * each.share:.0f}%) for {words.format_size(each.difference, plan.described)} points, "
        f"shown with power {each.found:.2f}"
        for each in differing
    ]
    return f"Asked until 'A > B' is decided (--until), of {plan.units:,} {plan.unit}s on average {'; '.join(sizes)}."


def _effort(evaluations: Sequence[DryRunEstimate]) -> str:
    """Calls by role, tokens and price; calls and tokens are those of one model, as all are asked the same."""
    first = evaluations[0]
    calls = ", ".join(f"{count:,} calls to the {role}" for role, count in first.calls.items())
    into, out = _short_count(first.input_tokens), _short_count(first.output_tokens)
    return f"{calls}; about {into} tokens in, at most {out} out; {_price(evaluations)}"


def _short_count(tokens: int) -> str:
    """A number of tokens in three digits.

    >>> _short_count(950), _short_count(12_345), _short_count(2_345_678)
    ('950', '12.3k', '2.35M')
    """
    if tokens < 1000:
        return str(tokens)
    if tokens < 999_500:
        return f"{tokens / 1000:.3g}k"
    return f"{tokens / 1e6:.3g}M" if tokens < 999_500_000 else f"{tokens / 1e6:,.0f}M"


def _price(evaluations: Sequence[DryRunEstimate]) -> str:
    """The price for each model, or for the one."""
    costs = {evaluation.model: _cost(evaluation) for evaluation in evaluations}
    if len(set(costs.values())) == 1:
        return next(iter(costs.values()))
    return "; ".join(f"{model} {cost}" for model, cost in costs.items())


def _cost(evaluation: DryRunEstimate) -> str:
    if evaluation.cost is None:
        return "no known price"
    if not evaluation.cost and not is_real(evaluation.model):
        return "nothing to pay, as it is simulated"
    return "under $0.01" if evaluation.cost < CENT else f"at most ${evaluation.cost:,.2f}"


def _least(floor: MinimumSample, plan: BenchmarkPlan, clusters: int) -> str:
    """Reason that nothing can be detected, and the number of units that would do."""
    level = f"{plan.basis.alpha:g}" + (f"/{floor.family}" if floor.family > 1 else "")
    largest = words.format_size(floor.largest * reach_of_metric(plan.described), plan.described)
    never = f"with {clusters} no result at all can reach p < {level}, at least {floor.clusters} are needed; "
    return (
        f"{never if clusters < floor.clusters else ''}{floor.units:,} {plan.unit}s would show {largest} points, "
        f"the largest difference at such a discordance, at level {level}."
    )


def _say_places(plan: BenchmarkPlan) -> None:
    metric, able = plan.described, [part for part in plan.parts if part.detectable is not None]
    few = [part for part in plan.parts if part.clusters < MIN_CLUSTERS]
    hopeless = [part for part in plan.parts if part.detectable is None and part not in few]
    if not plan.parts:
        return
    if able:
        ordered = sorted(able, key=lambda part: (part.detectable or 0, part.place))
        ends = ordered if len(ordered) <= 2 * LEAST_MOST else [*ordered[:LEAST_MOST], *ordered[-LEAST_MOST:]]
        screen.line(
            f"By place, {len(ends)} of {len(able)}, from the smallest minimum detectable effect (MDE) to the largest; "
            "groups are tested where the difference over everything is found:"
        )
        rows = [_place_row(part, metric) for part in ends]
        screen.table(("place", f"{plan.unit}s", "MDE, points", f"MDE (Holm, {plan.family})"), rows)
    if few:
        screen.line(f"Too few for a claim (under {MIN_CLUSTERS} clusters): {_named(few)}.")
    if hopeless:
        screen.line(f"Too few to show a difference even before correction: {_named(hopeless)}.")
    blind = [part.clusters for part in plan.parts if part.clusters >= MIN_CLUSTERS and part.detectable_holm is None]
    if blind and plan.places is not None:
        detectable = _least(plan.places, plan, min(blind))
        sharing = words.plural(plan.family, "group")
        cannot = f"{sharing} share the level once everything differs; {len(blind)} places cannot show it"
        screen.line(f"{cannot}: {detectable}")


def _place_row(part: PlacePlan, metric: Metric | None) -> tuple[object, ...]:
    holm = words.NOT_REACHABLE if part.detectable_holm is None else words.format_size(part.detectable_holm, metric)
    return (
        words.group_name("place", part.place),
        part.units,
        words.format_size(part.detectable or 0, metric),
        holm,
    )


def _named(parts: Sequence[PlacePlan]) -> str:
    return ", ".join(f"{words.group_name('place', part.place)} {part.clusters}" for part in parts)


def _say_ladder(found: LadderPlan) -> None:
    whole, groups = found.steps[0], found.steps[1:]
    size = f"{100 * found.size:.3g}"
    screen.heading(f"{FAMILY}{found.before} → {found.after}: a drop of {size} points above guessing")
    screen.line(f"All {whole.norms} norms: {_step(whole, size, found.family)}{_limits(found)}")
    facts = {**_basis(found.basis, several=True), "answers to an item": None, "judge's quality J": None}
    screen.facts({**facts, "norms kept before": f"{found.start:g} (assumed)", "judges": _judges(found)})
    for kind in dict.fromkeys(step.kind for step in groups):
        _say_kind(kind, [step for step in groups if step.kind == kind], size)
    screen.line("More answers to one item help only if they vary (not at temperature 0); more items always help.")


def _judges(found: LadderPlan) -> str | None:
    """Rates of the judges of two rungs; None where nobody judges."""
    if found.judge is None:
        return None
    rate = found.judge.sensitivity
    known = f"{rate.low:g} to {rate.high:g}" if rate.low < rate.high else f"{rate.low:g}"
    return f"sensitivity and specificity {known}, of {' and '.join(found.judged)}; in truth the middle of it"


def _limits(found: LadderPlan) -> str:
    """The least drops that any number of norms, and labels, would show; nothing where nobody judges."""
    if found.judge is None:
        return ""
    never = "no drop" if found.unlimited is None else f"no drop under {100 * found.unlimited:.0f} points"
    labels = "" if found.labelled is None else f"; {LABELS} labels a rung would show {100 * found.labelled:.0f}"
    return f" With these judges {never} is found, however many norms{labels}."


def _say_kind(kind: str, steps: Sequence[RungPairPlan], size: str) -> None:
    """One kind of group in a line or two: what its members show, and which can make no claim."""
    able = [step for step in steps if step.missing is None]
    seen = [100 * step.detectable_holm for step in able if step.detectable_holm is not None]
    ends = dict.fromkeys(f"{end:.0f}" for end in (min(seen), max(seen))) if seen else {}
    none = "; none would show a drop among all drops, however large" if able else ""
    within = f"; in {len(seen)} the minimum detectable drop is {' to '.join(ends)} points" if seen else none
    within += ", once it is found over all norms" if seen else ""
    name = words.kinds_name(kind)
    screen.line(f"{name[0].upper()}{name[1:]}: {len(able)} of {len(steps)} have enough norms for a claim{within}.")
    doing = [f"{words.group_name(kind, step.group)} {step.items}" for step in able if step.items is not None]
    if doing:
        screen.line(f"  items per norm and rung for {size} points: {', '.join(doing)}")
    never = sum(step.items is None for step in able)
    if never and seen:
        screen.line(
            f"  in {never} no number of items per norm is enough for {size} points: more norms or labels are needed"
        )


def _step(step: RungPairPlan, size: str, family: int) -> str:
    if step.missing is not None:
        return f"{format_missing(step.missing)}."
    alone, among = (
        words.NOT_REACHABLE if drop is None else f"{100 * drop:.1f} points"
        for drop in (step.detectable, step.detectable_holm)
    )
    seen = f"minimum detectable drop: {alone}, or {among} among {family} drops over all norms (Holm)"
    if step.items is None:
        return f"{seen}; for {size} no number of items per norm is enough: more norms or labels are needed."
    return f"{seen}; {size} points need {step.items} item{'s' if step.items > 1 else ''} per norm and rung."
