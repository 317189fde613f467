"""Several models together as tables and findings: means over them, slopes against what is known of them, providers."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mores.analysis.contrast import LEVEL, Contrast
from mores.analysis.model_summary import GAP, AcrossModels, HomeAdvantage, Providers, across, models_of, providers_of
from mores.analysis.results import Results
from mores.core.card import Metric
from mores.core.estimate import Missing
from mores.models.facts import NAMES
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, Cell, CellValue, DifferenceCell, Finding, Paragraph, Span, Words
from mores.tables.columns import BENCHMARK, METRIC, MODEL, SIMULATED

EVERY_MODEL = "all models"
"""Name of the mean over all models."""
SHARED = (BENCHMARK, SIMULATED, METRIC)
ACROSS = Table.of(
    "across",
    "Means over models, and by provider",
    *SHARED,
    Column("whose", "text", f"`{EVERY_MODEL}`, or the provider of some"),
    Column("models", "count", "models that the mean is over"),
    Column("families", "count", "families of models, of a mean over all"),
    Column("grouping", "text", "kind of group: region or continent"),
    Column("group", "group", "its name; missing for everything", of="region"),
    Column("value", "estimate", "the mean over models", title="Mean", main=True),
    Column("left_out", "count", "units that some models alone have a grade on"),
)
"""The interval of a mean over all models is for other models and items; that of a provider's is for other items."""
SLOPES = Table.of(
    "across_slopes",
    "Figures against facts of models",
    *SHARED,
    Column("figure", "text", "`score`, or `gap` between the best and worst place"),
    Column("fact", "text", "`parameters` (doubled), `released` (years), `reasoning`, `tier` (one up)", title="For"),
    Column("within", "flag", "true for models of one family alone", title="Within a family"),
    Column("change", "change", "change of the figure for one more", title="Change, points", main=True),
    Column("p", "p", "two-sided p-value, uncorrected", title="p"),
    Column("p_holm", "p", "p after Holm's correction for its family", title="p (Holm)"),
    Column("tests", "count", "number of slopes in that family"),
    Column("models", "count", "models that the slope is over"),
    Column("families", "count", "their families"),
    Column("unknown", "count", "models without the fact or the figure", title="Not known"),
)
HOMES = Table.of(
    "across_homes",
    "Providers at home",
    *SHARED,
    Column("provider", "text", title="Provider"),
    Column("models", "count", "models of the provider"),
    Column("region", "group", "region of the provider", title="Home", of="region"),
    Column(
        "home_less_elsewhere",
        "contrast",
        "the score of its models at home less that elsewhere",
        title="Home − elsewhere",
        main=True,
        ends=("at_home", "elsewhere"),
    ),
    Column(
        "advantage",
        "contrast",
        "the same less that difference of models from elsewhere",
        ends=("advantage_at_home", "advantage_elsewhere"),
    ),
    Column("others", "count", "models of providers from elsewhere", title="Compared with, models"),
)
SAYS = {
    "home": "place of the provider",
    "parameters": "billions, total/active",
    "tier": "rank by size within its family, where no sizes are published",
    "source": "where facts are from",
}
MODELS = Table.of(
    "across_models",
    "What is known of models",
    *(BENCHMARK, SIMULATED, MODEL),
    *(Column(name, "text", SAYS.get(name, ""), title=name.capitalize()) for name in NAMES),
    Column("region", "group", "home of the provider, where asked about", of="region"),
)


def _shared(found: AcrossModels) -> tuple[str, bool, Metric]:
    models = found.models
    return models.benchmark, models.simulated, models.evaluations[0].listed()


def _means(found: AcrossModels, providers: Providers | None) -> Iterator[Row]:
    """Group by group the mean over all models, then those of each provider."""
    shared, models = _shared(found), found.models
    families, left = len(set(models.families)), models.shared.left_out
    figures, counts = ({}, {}) if providers is None else (providers.figures, providers.counts)
    for number, mean in enumerate(found.means):
        group = models.grouping, next(iter(mean.group.values()), None)
        yield *shared, EVERY_MODEL, len(models.evaluations), families, *group, mean, left
        yield from ((*shared, name, counts[name], None, *group, own[number], None) for name, own in figures.items())


TABLES = (ACROSS, SLOPES, HOMES, MODELS)


class SlopeRow(NamedTuple):
    """A row of `SLOPES`."""

    benchmark: str
    simulated: bool
    metric: Metric
    figure: str
    fact: str
    within: bool
    change: DifferenceCell
    p: float | None
    p_holm: float | None
    tests: int
    models: int
    families: int
    unknown: int


def _slopes(found: AcrossModels) -> Iterator[SlopeRow]:
    for each in found.trends:
        of, whose = each.found, (each.figure, each.fact, each.within)
        change = DifferenceCell(difference=of.value, low=of.low, high=of.high, missing=of.missing, caution=each.caution)
        counts = (each.family, of.models, of.families, each.unknown)
        yield SlopeRow(*_shared(found), *whose, change, of.p, each.p_holm, *counts)


def _home(found: AcrossModels, each: HomeAdvantage) -> Row:
    return *_shared(found), each.provider, each.models, each.region, each.plain, each.advantage, each.others


def _models(found: AcrossModels, providers: Providers | None) -> Iterator[Row]:
    regions = {each.provider: each.region for each in providers.at_home} if providers is not None else {}
    for each in found.models.evaluations:
        facts = each.provenance.facts
        own = (each.benchmark, each.simulated, each.label)
        yield *own, *(facts.get(name) for name in NAMES), regions.get(facts.get("provider") or "")


# The same for people.

ABOUT = (
    "Means over models speak of other models and other items: both are taken as drawn, and models of one family are "
    "drawn together. Each model counts once, baselines do not, and units are those that all models have a grade on."
)
PER = {
    "parameters": "a doubling of parameters",
    "released": "a year later",
    "reasoning": "thinking instead of not",
    "tier": "a tier up",
}
ABOUT_SLOPES = (
    "Slopes are least squares over models, in points. They describe these models and are no causes: newer models may "
    "be larger too. Within a family, models are compared with others of theirs alone. A tier is a provider’s order of "
    "models whose sizes it does not publish: a step is of no known size. Intervals and p leave out one family after "
    "the other. The gap is the noise-corrected one between the best and the worst place."
)
ABOUT_HOMES = (
    "Figures of a provider are means over its models, with intervals for other items. Home is the region of the "
    "provider. “Home − elsewhere” also holds how easy a region’s questions are; “advantage” takes the same difference "
    "of models from elsewhere away, so that only what is the provider’s own is left. Questions count alike there, "
    "while a region’s figure is the mean of its places."
)


class BenchmarkPart(NamedTuple):
    """The models of one benchmark with their rows, in the order of `TABLES`."""

    found: AcrossModels
    providers: Providers | None
    means: tuple[Row, ...]
    slopes: tuple[SlopeRow, ...]
    homes: tuple[Row, ...]
    models: tuple[Row, ...]

    @classmethod
    def of(cls, found: AcrossModels, providers: Providers | None) -> "BenchmarkPart":
        """All that is found of them."""
        homes = () if providers is None else tuple(_home(found, each) for each in providers.at_home)
        means, slopes, models = _means(found, providers), _slopes(found), _models(found, providers)
        return cls(found, providers, tuple(means), tuple(slopes), homes, tuple(models))


def analyse(results: Results) -> AnalysisResult | None:
    """Means over models, slopes and providers of some runs; None where no benchmark has two of them."""
    parts = [BenchmarkPart.of(across(models), providers_of(models)) for models in models_of(results)]
    if not parts:
        return None
    every = zip(TABLES, zip(*(part[2:] for part in parts), strict=True), strict=True)
    tables = tuple(table.filled(row for own in rows for row in own) for table, rows in every)
    blocks = (block for part in parts for block in _blocks(part, tables))
    return AnalysisResult(
        tables=tables,
        blocks=(Paragraph(ABOUT, "explanation"), *blocks),
        findings=tuple(finding for part in parts for finding in _findings(part)),
    )


def _blocks(part: BenchmarkPart, tables: Sequence[FilledTable]) -> Iterator[Block]:
    models, (means, slopes, homes, _) = part.found.models, tables
    headline = Span(models.evaluations[0].headline, "code")
    yield Paragraph((f"{models.benchmark} ", headline, *words.made_up(simulated=models.simulated)), "heading")
    yield from blocks_of(means, _view_of_means(part))
    yield Paragraph(_counted(part.found))
    yield from blocks_of(slopes, _view_of_slopes(part))
    yield from _without_slope(part.slopes)
    yield from blocks_of(homes, _view_of_homes(part))
    if part.providers is not None:
        yield from _of_providers(part.providers)


def _view_of_means(part: BenchmarkPart) -> View:
    """Means over models and those of each provider, a row a group."""
    models, counts = part.found.models, {} if part.providers is None else part.providers.counts
    return View(
        title=f"Means over models of {models.benchmark}, and by provider (number of its models)",
        rows=part.means,
        shown=("group",),
        across="whose",
        cell="value",
        heads={
            EVERY_MODEL: f"Mean over {words.plural(len(models.evaluations), 'model')}",
            **{name: f"{name} ({count})" for name, count in counts.items()},
        },
    )


def _counted(found: AcrossModels) -> Words:
    """Numbers of units and families, and the reason for a missing interval over models."""
    models, missing = found.models, found.means[0].missing
    left, families = models.shared.left_out, len(set(models.families))
    units = (CellValue(len(models.shared.first)), f" {models.evaluations[0].counted} of ", CellValue(families))
    more = ("; ", CellValue(left), " graded for some models only are left out") if left else ()
    why = (" No interval over models: ", CellValue(missing, "why"), ".") if missing is not None else ()
    return *units, f" {'family' if families == 1 else 'families'} of models", *more, ".", *why


def _view_of_slopes(part: BenchmarkPart) -> View:
    """A row a slope that can be told."""
    family = max((row.tests for row in part.slopes), default=0)
    return View(
        title=f"Figures of {part.found.models.benchmark} against facts of models",
        rows=tuple(row for row in part.slopes if row.change.difference is not None),
        shown=(
            Show("figure", write=lambda row: "gap between places" if row.figure == GAP else row.figure),
            Show("fact", write=_for),
            "change",
            "p",
            Show("p_holm", f"p (Holm, {words.plural(family, 'slope')})"),
            *("models", "families", "unknown"),
            Show("why", "Found", write=lambda row: row.change.missing or _claim(row.p_holm)),
        ),
        notes=(ABOUT_SLOPES,),
    )


def _for(row: SlopeRow) -> str:
    return f"{PER[row.fact]}, within a family" if row.within else PER[row.fact]


def _claim(p: float | None) -> Cell:
    return "" if p is None else Span("found", "strong") if p < LEVEL else "not found"


def _without_slope(rows: Sequence[SlopeRow]) -> Iterator[Block]:
    """In one sentence a reason, the slopes that cannot be told."""
    why: dict[Missing | None, dict[str, None]] = {}
    for row in rows:
        if row.change.difference is None:
            why.setdefault(row.change.missing, {})[PER[row.fact]] = None
    for missing, facts in why.items():
        reason = CellValue(missing, "why")
        yield Paragraph((f"No slope, or not of every figure, for {', '.join(facts)}: ", reason, "."))


def _view_of_homes(part: BenchmarkPart) -> View:
    return View(
        title=f"Providers at home on {part.found.models.benchmark}",
        rows=part.homes,
        shown=(
            *("provider", "models", "region"),
            Show("at_home", "At home"),
            Show("elsewhere", "Elsewhere"),
            *("home_less_elsewhere", "p_holm", "advantage", "advantage_p_holm", "others"),
            Show("advantage", "Found", write=_claim_at_home),
        ),
    )


def _claim_at_home(row: Row) -> Cell:
    advantage: Contrast | None = HOMES.getter("advantage")(row)
    return "no model from elsewhere" if advantage is None else _claim(advantage.p_adjusted)


def _of_providers(providers: Providers) -> Iterator[Block]:
    """Notes on how to read their figures, and names of those without one."""
    yield Paragraph(ABOUT_HOMES, "explanation")
    if providers.abroad:
        yield Paragraph(f"Without a home among these regions: {', '.join(providers.abroad)}.")
    if providers.unknown:
        named = ", ".join(providers.unknown)
        text = f"No provider is known of {named}; --fact MODEL:provider=NAME --fact MODEL:home=PLACE says it."
        yield Paragraph(text)


def _findings(part: BenchmarkPart) -> Iterator[Finding]:
    """Slopes and advantages at home that are found."""
    name, metric = Span(part.found.models.benchmark, "code"), part.found.models.metric
    for row in part.slopes:
        if row.p_holm is not None and row.p_holm < LEVEL and row.change.difference is not None:
            figure, *ways = (
                ("Gaps between places", "smaller", "larger") if row.figure == GAP else ("Scores", "lower", "higher")
            )
            change, p = CellValue(row.change, metric=metric), CellValue(row.p_holm, "full_p")
            yield Finding(
                id="across.slope",
                words=(f"{figure} on ", name, f" are {ways[row.change.difference > 0]} with {_for(row)}."),
                sure=(change, " points, ", p, ", ", CellValue(row.models), " models."),
            )
    for home in () if part.providers is None else part.providers.at_home:
        own = home.advantage
        if own is not None and own.found and own.difference is not None:
            way = "better" if own.difference > 0 else "worse"
            text = (f"Models of {home.provider} do {way} at home in {home.region} than others do there on ", name, ".")
            p = CellValue(own.p_adjusted, "full_p")
            yield Finding(id="across.at_home", words=text, sure=(CellValue(own, metric=metric), " points, ", p, "."))


ACROSS_ANALYSIS = Analysis(id="across", title="Across models", tables=TABLES, analyse=analyse, order=12)
