"""Several models together as blocks: means over them, slopes against what is known of them, and providers by region."""

from collections.abc import Iterator, Sequence

from mores.analysis.across import GAP, Across, Trend, across, models_of
from mores.analysis.contrast import LEVEL
from mores.analysis.providers import AtHome, Providers, providers_of
from mores.analysis.results import Results
from mores.blocks import Apart, Block, Cell, Column, Finding, Heads, Row, Section, Span, Table, Text, Words
from mores.blocks import formatting as words
from mores.blocks.reasons import format_missing, plain_fields
from mores.reports.sections.thinking import contrast_to_dict

ABOUT = (
    "Means over models speak of other models and other items: both are taken as drawn, and models of one family are "
    "drawn together. Each model counts once, baselines do not, and units are those that all models have a grade on."
)
PER = {"parameters": "a doubling of parameters", "released": "a year later", "reasoning": "thinking instead of not"}
SLOPES = (
    "Slopes are least squares over models, in points. They describe these models and are no causes: newer models may "
    "be larger too. Within a family, models are held against others of theirs alone. Intervals and p leave out one "
    "family after the other. The gap is the noise-corrected one between "
    "the best and the worst place."
)
HOME = (
    "Figures of a provider are means over its models, with intervals for other items. Home is the region of the "
    "provider. “Home − elsewhere” also holds how easy a region’s questions are; “advantage” takes the same difference "
    "of models from elsewhere away, so that only what is the provider’s own is left. Questions count alike there, "
    "while a region’s figure is the mean of its places."
)


def across_section(results: Results) -> Section | None:
    """What the models of some runs show together; None where no benchmark has two of them."""
    found = [(across(models), providers_of(models)) for models in models_of(results)]
    if not found:
        return None
    return Section(
        id="across",
        title="Across models",
        order=12,
        blocks=(
            Text(words=ABOUT, role="explanation"),
            *(block for every, providers in found for block in _blocks(every, providers)),
        ),
        data=[_to_dict(every, providers) for every, providers in found],
        findings=tuple(finding for every, providers in found for finding in _findings(every, providers)),
    )


def _blocks(found: Across, providers: Providers | None) -> Iterator[Block]:
    models = found.models
    headline = Span(models.evaluations[0].headline, "code")
    yield Text(words=(f"{models.benchmark} ", headline, *words.made_up(simulated=models.simulated)), role="heading")
    yield _means(found, providers)
    yield Text(words=_counted(found))
    yield from _trends(found)
    if providers is None:
        return
    if providers.at_home:
        yield _homes(found, providers)
    yield Text(words=HOME, role="explanation")
    if providers.abroad:
        yield Text(words=f"Without a home among these regions: {', '.join(providers.abroad)}.")
    if providers.unknown:
        named = ", ".join(providers.unknown)
        told = f"No provider is known of {named}; --fact MODEL:provider=NAME --fact MODEL:home=PLACE says it."
        yield Text(words=told)


def _means(found: Across, providers: Providers | None) -> Table:
    """Means over models and those of each provider, a row a group."""
    metric, count = found.models.metric, len(found.models.evaluations)
    figures = {} if providers is None else providers.figures
    heads = [f"{name} ({providers.counts[name]})" for name in figures] if providers else []
    columns: Heads = (
        "Group",
        Column(title=f"Mean over {words.plural(count, 'model')}", metric=metric),
        *(Column(title=head, metric=metric, format="figure") for head in heads),
    )
    rows = (
        Row(
            cells=(next(iter(mean.group.values()), "Everything"), mean, *(each[number] for each in figures.values())),
            whole=not mean.group,
        )
        for number, mean in enumerate(found.means)
    )
    caption = f"Means over models of {found.models.benchmark}, and by provider (number of its models)"
    return Table.of(caption, columns, rows)


def _counted(found: Across) -> str:
    models = found.models
    left = models.shared.left_out
    units = f"{len(models.shared.first):,} {models.evaluations[0].counted}"
    more = f"; {left:,} graded for some models only are left out" if left else ""
    missing = format_missing(found.means[0].missing)
    why = f" No interval over models: {missing}." if missing else ""
    return f"{units} of {words.plural(len(set(models.families)), 'family', 'families')} of models{more}.{why}"


def _trends(found: Across) -> Iterator[Block]:
    """A row a slope, and in one sentence those that cannot be told."""
    told = [each for each in found.trends if each.found.value is not None]
    if told:
        yield _slopes(found, told)
        yield Text(words=SLOPES, role="explanation")
    why: dict[str, dict[str, None]] = {}
    for each in found.trends:
        if each.found.value is None:
            why.setdefault(format_missing(each.found.missing), {})[PER[each.fact]] = None
    for reason, facts in why.items():
        yield Text(words=f"No slope, or not of every figure, for {', '.join(facts)}: {reason}.")


def _slopes(found: Across, told: Sequence[Trend]) -> Table:
    family = told[0].family
    columns: Heads = (
        "Figure",
        "For",
        Column(title="Change, points", metric=found.models.metric),
        Column(title="p", format="p"),
        Column(title=f"p (Holm, {words.plural(family, 'slope')})", format="p"),
        *(Column(title=title, format="count") for title in ("Models", "Families", "Not known")),
        "",
    )
    return Table.of(f"Figures of {found.models.benchmark} against facts of models", columns, map(_of_trend, told))


def _of_trend(each: Trend) -> tuple[Cell, ...]:
    slope = each.found
    figure = "gap between places" if each.figure == GAP else "score"
    return (
        figure, _for(each), _change(each), slope.p, each.p_holm, slope.models, slope.families, each.unknown,
        format_missing(slope.missing) or _claim(each.p_holm),
    )  # fmt: skip


def _change(each: Trend) -> Apart:
    slope = each.found
    return Apart(
        difference=slope.value, low=slope.low, high=slope.high, missing=slope.missing, caution=each.caution
    )  # fmt: skip


def _for(each: Trend) -> str:
    return f"{PER[each.fact]}, within a family" if each.within else PER[each.fact]


def _claim(p: float | None) -> Words:
    return "" if p is None else Span("found", "strong") if p < LEVEL else "not found"


def _homes(found: Across, providers: Providers) -> Table:
    metric, family = found.models.metric, sum(each.plain.p is not None for each in providers.at_home)
    columns = (
        "Provider",
        "Home",
        Column(title="At home", format="share", metric=metric),
        Column(title="Elsewhere", format="share", metric=metric),
        Column(title="Home − elsewhere", metric=metric),
        Column(title=f"p (Holm, {family})", format="p"),
        Column(title="Advantage", metric=metric),
        Column(title=f"p (Holm, {family})", format="p"),
        Column(title="Held against, models", format="count"),
        "Advantage",
    )
    return Table.of(f"Providers at home on {found.models.benchmark}", columns, map(_of_home, providers.at_home))


def _of_home(each: AtHome) -> tuple[Cell, ...]:
    plain, own = each.plain, each.advantage
    return (
        f"{each.provider} ({words.plural(each.models, 'model')})", each.region, plain.b, plain.a, plain,
        plain.p_adjusted, own, own and own.p_adjusted, each.others, "no model from elsewhere" if own is None else
        _claim(own.p_adjusted),
    )  # fmt: skip


def _findings(found: Across, providers: Providers | None) -> Iterator[Finding]:
    """Slopes and advantages at home that are found."""
    name, metric = Span(found.models.benchmark, "code"), found.models.metric
    for each in found.trends:
        slope = each.found
        if each.p_holm is None or each.p_holm >= LEVEL or slope.value is None:
            continue
        figure, *ways = (
            ("Gaps between places", "smaller", "larger") if each.figure == GAP else ("Scores", "lower", "higher")
        )
        way = ways[slope.value > 0]
        told = (f"{figure} on ", name, f" are {way} with {_for(each)}.")
        sure = f"{words.format_difference(_change(each), metric)} points, {words.format_p(each.p_holm)}, "
        yield Finding(words=told, sure=f"{sure}{words.plural(slope.models, 'model')}.")
    for home in () if providers is None else providers.at_home:
        own = home.advantage
        if own is not None and own.found and own.difference is not None:
            way = "better" if own.difference > 0 else "worse"
            told = (f"Models of {home.provider} do {way} at home in {home.region} than others do there on ", name, ".")
            yield Finding(words=told, sure=f"{words.format_difference(own, metric)} points, p = {own.p_adjusted:.3f}.")


def _to_dict(found: Across, providers: Providers | None) -> dict[str, object]:
    """All figures."""
    models, of_trend = found.models, ("figure", "fact", "within", "unknown", "p_holm", "family", "caution")
    of_slope = ("value", "low", "high", "p", "models", "families")
    return {
        "benchmark": models.benchmark,
        "metric": models.evaluations[0].headline,
        "simulated": models.simulated,
        "models": [{"model": e.label, **e.provenance.facts} for e in models.evaluations],
        "units": len(models.shared.first),
        "left_out": models.shared.left_out,
        "means": found.means,
        "slopes": [
            plain_fields(each, *of_trend) | plain_fields(each.found, *of_slope, why="missing") for each in found.trends
        ],
        "providers": None if providers is None else _dict_of_providers(providers),
    }


def _dict_of_providers(found: Providers) -> dict[str, object]:
    return {
        "figures": [
            {"provider": name, "models": found.counts[name], "estimates": figures}
            for name, figures in found.figures.items()
        ],
        "at_home": [
            {
                **plain_fields(each, "provider", "region", "models", "others"),
                "home_less_elsewhere": contrast_to_dict(each.plain),
                "advantage": None if each.advantage is None else contrast_to_dict(each.advantage),
            }
            for each in found.at_home
        ],
        "unknown": found.unknown,
        "without_a_home": found.abroad,
    }
