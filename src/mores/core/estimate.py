"""A figure that a person sees: its value, interval, counts and what it would be at worst and at best."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import compress, repeat
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from mores.core.arrays import Codes, Floats, Mask
from mores.core.transcript import ItemMetadata


class Missing(Struct, frozen=True, kw_only=True):
    """Reason that a figure, or its interval, is not there: a code that `tables.missing_texts` puts into words.

    `n` things of which `needed` are needed, or `n` things `of` all; `figures` are what was measured, and `because` is
    the reason within a reason. `told` is what no code can say, such as a file's name; a code that
    `tables.missing_texts` does not know stands for these words alone.
    """

    code: str
    n: int = 0
    needed: int = 0
    of: int = 0
    told: str = ""
    figures: tuple[float, ...] = ()
    because: Missing | None = None


VERBATIM = "as_told"
"""The code of words that came as words, as from a run of before there were codes."""
_FAILED = "failed_in_code"
NOTHING_GRADED = Missing(code="nothing_graded")
NO_UNIT_DIFFERS = Missing(code="no_unit_differs")
SHOWS_NO_DIFFERENCE = Missing(code="shows_no_difference")
"""Why there is no minimum detectable effect: it is not known, or beyond half of the metric's range."""


def failed_in_code(sentence: str) -> Missing:
    """Reason for a missing figure where the code that makes it failed."""
    return Missing(code=_FAILED, told=sentence)


def has_failed(missing: Missing | None) -> bool:
    """True where code failed, so that there may be a figure once it is mended."""
    return missing is not None and missing.code == _FAILED


class Caution(Struct, frozen=True, kw_only=True):
    """Caution that a reader needs with figures: a code, `n` things `of` how many, and what they are.

    `words` are names (a label, a place, a file), `size` and `p` what was measured and tested. Reports put it into
    words.
    """

    code: str
    n: int = 0
    of: int = 0
    words: tuple[str, ...] = ()
    size: float | None = None
    p: float | None = None


class Estimate(Struct, frozen=True, kw_only=True):
    """One figure of one group.

    `asked` and `graded` count the metric's own unit. `worst` and `best` are the value if every ungraded unit
    were wrong or right. `p` is of the test that the metric stands for, if it does for one. A missing value or
    interval is None, with `missing`, which may also say what has to be known of a figure; `method` names the interval.
    """

    metric: str
    group: dict[str, str] = field(default_factory=dict)
    value: float | None
    low: float | None = None
    high: float | None = None
    asked: int
    graded: int
    worst: float | None = None
    best: float | None = None
    method: str = ""
    p: float | None = None
    missing: Missing | None = None


class JudgeBand(Struct, frozen=True, kw_only=True):
    """Values that a judged figure would have for every judge whose rates lie in a range; no sampling is in it.

    `sensitivity` and `specificity` are the ends of that range, which labels tell where it is `labelled`.
    """

    low: float
    high: float
    sensitivity: tuple[float, float]
    specificity: tuple[float, float]
    labelled: bool = False


class ShownEstimate(Estimate, frozen=True, kw_only=True):
    """A figure as people see it: with the caution on its answers and the band of its judge, where there are any.

    Every medium writes both: neither is stored with a run, as labels and a stated range come later.
    """

    caution: Caution | None = None
    judge: JudgeBand | None = None


def cautioned(figure: Estimate, caution: Caution | None) -> Estimate:
    """A figure with what has to be known of it; as it is where that is nothing."""
    return figure if caution is None else shown(figure, caution=caution, judge=judge_band_of(figure))


def shown(figure: Estimate, *, caution: Caution | None = None, judge: JudgeBand | None = None) -> Estimate:
    """A figure with its caution and the band of its judge; as it is where there is neither."""
    if caution is None and judge is None:
        return figure
    known = {name: getattr(figure, name) for name in Estimate.__struct_fields__}
    return ShownEstimate(**known, caution=caution, judge=judge)


def judge_band_of(figure: object) -> JudgeBand | None:
    """Band of the judge of a figure; None where nobody judged it."""
    return figure.judge if isinstance(figure, ShownEstimate) else None


def caution_of(figure: object) -> Caution | None:
    """Caution of a figure or a difference; None where there is none."""
    caution = getattr(figure, "caution", None)
    return caution if isinstance(caution, Caution) else None


def gravest(cautions: Sequence[Caution | None]) -> Caution | None:
    """Caution of what is made of several figures: the gravest of theirs, where half of them have one.

    Of the two sides of a difference one is enough; the counts said are its own.

    >>> gravest([None, Caution(code="answers_cut", n=6, of=10), Caution(code="answers_refused", n=9, of=10)]).code
    'answers_refused'
    >>> gravest([None, None, Caution(code="answers_cut", n=6, of=10)])
    """
    known = [caution for caution in cautions if caution is not None]
    return max(known, key=lambda caution: caution.n / caution.of) if known and 2 * len(known) >= len(cautions) else None


class CommonScale(Struct, frozen=True, kw_only=True):
    """Figures of several benchmarks on one scale, where their headlines could not be read side by side.

    `titles` are short names of the benchmarks in their order; `figures` stand by the folder of what was run, as shares
    of the whole scale: `zero` says what 0 is, 1 is all right. `name` is what is counted, and `says` how to read it.
    `falls` are those at which a model breaks. A `reference` is a stated respondent, with what it gets by benchmark and
    that in words; its figures are not measured.
    """

    name: str
    says: str
    titles: Mapping[str, str]
    figures: Mapping[Path, Estimate]
    falls: frozenset[Path] = frozenset()
    zero: str = "guessing"
    short_zero: str = "guessing"
    reference: str = ""
    references: Mapping[str, float] = field(default_factory=dict)
    reference_says: str = ""


SEVERAL = "|"
"""Stands between the groups of one kind that a row belongs to, such as the cues of a persona."""
SEPARATE = "apart"
"""Kind of group whose rows count in no other figure, such as norms that people of their place dispute."""


class CategoricalColumn(NamedTuple):
    """Names of rows, each as a code into `names`; -1 where there is none."""

    codes: Codes
    names: Sequence[str]

    @classmethod
    def of(cls, values: Iterable[str | None]) -> CategoricalColumn:
        """A column of names, coded in their order of appearance."""
        given = list(values)
        seen = dict.fromkeys(given)
        seen.pop(None, None)
        place: dict[str | None, int] = {**dict(zip(seen, range(len(seen)), strict=True)), None: -1}
        codes = np.fromiter(map(place.__getitem__, given), dtype=np.int64, count=len(given))
        return cls(codes, tuple(name for name in seen if name is not None))

    @classmethod
    def sorted(cls, values: Iterable[str | None]) -> CategoricalColumn:
        """A column of names, coded in their own order, so that codes do not depend on which comes first."""
        return cls.of(values).in_order()

    def in_order(self) -> CategoricalColumn:
        """The same names, coded in their own order."""
        names = tuple(sorted(self.names))
        place = {name: code for code, name in enumerate(names)}
        # The last entry is for the code -1, which counts from the end.
        table = np.array([*(place[name] for name in self.names), -1], dtype=np.int64)
        return CategoricalColumn(table[self.codes], names)

    def take(self, rows: Codes | Mask) -> CategoricalColumn:
        """The same names of some rows."""
        return CategoricalColumn(self.codes[rows], self.names)

    def only(self, rows: Codes | Mask) -> CategoricalColumn:
        """The same names of some rows, and of no others."""
        kept = self.codes[rows]
        # One place more, which the code -1 marks.
        used = np.zeros(len(self.names) + 1, dtype=np.bool_)
        used[kept] = True
        table = np.append(np.cumsum(used[:-1]) - 1, -1)
        return CategoricalColumn(table[kept], tuple(compress(self.names, used.tolist())))

    def among(self, names: Sequence[str]) -> Codes:
        """Each row's name as a code into other names; -1 where it is none of them."""
        if self.names is names or self.names == names:
            return self.codes
        place = dict(zip(names, range(len(names)), strict=True))
        found = map(place.get, self.names, repeat(-1))
        return np.append(np.fromiter(found, dtype=np.int64, count=len(self.names)), -1)[self.codes]

    def belongs(self, tell: Callable[[str], bool]) -> Mask:
        """Mask of the rows whose name satisfies a condition; each name is asked once."""
        return np.array([*map(tell, self.names), False], dtype=np.bool_)[self.codes]

    def pooled(self) -> CategoricalColumn:
        """The `pools` of clusters, in the place of these."""
        if not any(SHARED in name for name in self.names):
            return self
        of, own = CategoricalColumn.of(map(pools(self.names).__getitem__, self.names)), self.codes
        return CategoricalColumn(np.append(of.codes, -1)[own], of.names)

    def used(self) -> list[str]:
        """The names that any row has."""
        return [self.names[code] for code in np.unique(self.codes) if code >= 0]

    def texts(self) -> list[str]:
        """The name of each row, empty where there is none."""
        names = (*self.names, "")
        return [names[code] for code in self.codes.tolist()]


SHARED = "+"
"""Stands in a cluster's name between the names of what it holds, such as the norms of a bundle."""


def together(names: Sequence[Sequence[str]]) -> npt.NDArray[np.str_]:
    """A name for each unit, the same for units that share one of their names, directly or through others.

    >>> together([("a", "x"), ("b", "x"), ("c",)]).tolist()
    ['b', 'b', 'c']
    """
    root: dict[str, str] = {}

    def top(name: str) -> str:
        while root.setdefault(name, name) != name:
            name = root[name]
        return name

    for first, *others in names:
        for other in others:
            root[top(other)] = top(first)
    return np.array([top(own[0]) for own in names], dtype=np.str_)


def pools(clusters: Iterable[str]) -> dict[str, str]:
    """The pool of each cluster by name: clusters that hold a thing in common, directly or through others, are one.

    What is known of a norm tells on every bundle that holds it, so such bundles are not independent. A cluster that
    names one thing is its own pool, where no other holds that. A pool is called by the first of its things.

    >>> pools(["m+n", "n+o", "p+q", "r"])
    {'m+n': 'm', 'n+o': 'm', 'p+q': 'p', 'r': 'r'}
    """
    names = list(dict.fromkeys(clusters))
    if not any(SHARED in name for name in names):
        return {name: name for name in names}
    held = [[part for part in name.split(SHARED) if part] for name in names]
    things = [own if len(own) > 1 else [name] for name, own in zip(names, held, strict=True)]
    first: dict[str, str] = {}
    tops = together(things).tolist()
    for top, own in zip(tops, things, strict=True):
        first[top] = min(first.get(top, own[0]), *own)
    return {name: first[top] for name, top in zip(names, tops, strict=True)}


class RowKeys(Struct, frozen=True, eq=False, kw_only=True):
    """Keys of rows: `unit` is what figures count, `item` what was asked, `part` what of an item counts alone.

    `cluster` is what cannot be taken as independent (of clusters that share a thing their `pools`), `groups` what rows
    belong to besides their place.
    """

    item: CategoricalColumn
    part: CategoricalColumn
    unit: CategoricalColumn
    cluster: CategoricalColumn
    place: CategoricalColumn
    sample: Codes
    groups: Mapping[str, CategoricalColumn]

    def __len__(self) -> int:
        return len(self.sample)

    @classmethod
    def of(cls, metadata: Sequence[ItemMetadata]) -> RowKeys:
        """A row for each of some things that verdicts are about."""
        kinds = dict.fromkeys(kind for about in metadata for kind in about.groups)
        alone = all(about.cluster == about.unit for about in metadata)
        unit = CategoricalColumn.of(about.unit for about in metadata)
        return cls(
            item=CategoricalColumn.of(about.item for about in metadata),
            part=CategoricalColumn.of(about.part for about in metadata),
            unit=unit,
            cluster=unit if alone else CategoricalColumn.of(about.cluster for about in metadata).pooled(),
            place=CategoricalColumn.sorted(about.place for about in metadata),
            sample=np.zeros(len(metadata), dtype=np.int64),
            groups={kind: CategoricalColumn.of(about.groups.get(kind) for about in metadata) for kind in kinds},
        )

    def only(self, rows: Codes | Mask) -> RowKeys:
        """Some of the rows, as if there were no others; all of them, each at its place, are the same columns."""
        if len(rows) == len(self) and np.array_equal(
            rows, np.ones_like(rows) if rows.dtype == np.bool_ else np.arange(len(self))
        ):
            return self
        return self._made(lambda column: column.only(rows), self.sample[rows])

    def take(self, rows: Codes | Mask, sample: Codes | None = None) -> RowKeys:
        """Some of the rows, in some sample; all of them, each at its place, are the same columns."""
        if len(rows) == len(self) and rows.dtype != np.bool_ and np.array_equal(rows, np.arange(len(self))):
            return self if sample is None or np.array_equal(sample, self.sample) else replace(self, sample=sample)
        return self._made(lambda column: column.take(rows), self.sample[rows] if sample is None else sample)

    def _made(self, of: Callable[[CategoricalColumn], CategoricalColumn], sample: Codes) -> RowKeys:
        """Keys of which each column is made of the one here."""
        columns = {name: of(getattr(self, name)) for name in ("item", "part", "unit", "cluster", "place")}
        return RowKeys(**columns, sample=sample, groups={kind: of(column) for kind, column in self.groups.items()})


class MetricRows(Struct, frozen=True, eq=False, kw_only=True):
    """The rows of one metric, in its own units; `value` is NaN where ungraded, within `least` and `most`.

    Rows of one unit and sample are averaged, then the samples of a unit, then units. `weight` is what a row's unit
    counts for, None where all count alike. `label` is what was said and `gold` what is right, where the metric is of
    labels. `task` is the verdict that the rows were read from. `extra` are further columns and `facts` numbers that
    the metric's own aggregator reads.
    """

    keys: RowKeys
    value: Floats
    least: Floats
    most: Floats
    task: str = ""
    weight: Floats | None = None
    label: CategoricalColumn | None = None
    gold: CategoricalColumn | None = None
    extra: Mapping[str, Floats] = msgspec.field(default_factory=dict)
    facts: Mapping[str, float] = msgspec.field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.value)

    @classmethod
    def within(
        cls, low: float | Floats, high: float | Floats, *, keys: RowKeys, value: Floats, **more: Any
    ) -> MetricRows:
        """Rows of which those that are not known lie between two ends."""
        lost = np.isnan(value)
        least, most = (np.where(lost, end, value) if lost.any() else value for end in (low, high))
        return cls(keys=keys, value=value, least=least, most=most, **more)

    def parted(self) -> tuple[MetricRows, MetricRows | None]:
        """The rows that count, and those that stand apart; None where none does."""
        sides = _sides(self.keys)
        if sides is None:
            return self, None
        counting, others = (replace(self.take(rows), keys=keys) for rows, keys in sides)
        return counting, others

    def take(self, rows: Codes | Mask) -> MetricRows:
        """Some of the rows."""
        return replace(
            self,
            keys=self.keys.take(rows),
            value=self.value[rows],
            least=self.least[rows],
            most=self.most[rows],
            weight=None if self.weight is None else self.weight[rows],
            label=None if self.label is None else self.label.take(rows),
            gold=None if self.gold is None else self.gold.take(rows),
            extra={name: values[rows] for name, values in self.extra.items()},
        )


@lru_cache(maxsize=4)  # metrics of the same rows share their keys, and those of each side too
def _sides(keys: RowKeys) -> tuple[tuple[Mask, RowKeys], tuple[Mask, RowKeys]] | None:
    """Rows that count and rows that are scored separately, with their keys; None where none is."""
    column = keys.groups.get(SEPARATE)
    separate = None if column is None else column.codes >= 0
    if separate is None or not separate.any():
        return None
    return (~separate, keys.only(~separate)), (separate, keys.only(separate))


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Scores(Mapping[str, MetricRows]):
    """The rows of each metric that a run could score, and why it has none of another.

    `means` are metrics whose figure is the mean of their units, so that units can stand for it; `compared` are those
    of them that two models are held against each other by, besides the headline. `tasks` are those whose verdicts an
    answer's headline rests on; where it is `by_value`, an answer is right by its row and not by its verdict's points.
    `separate` are rows that stand apart from all of these: they have a figure of their own.
    """

    rows: Mapping[str, MetricRows]
    missing: Mapping[str, Missing] = dataclasses.field(default_factory=dict)
    means: frozenset[str] = frozenset()
    compared: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    by_value: bool = False
    separate: Mapping[str, MetricRows] = dataclasses.field(default_factory=dict)

    def every(self, metric: str) -> tuple[MetricRows, ...]:
        """All rows of a metric: those that count, then those that stand apart."""
        return tuple(table[metric] for table in (self.rows, self.separate) if metric in table)

    def __getitem__(self, metric: str) -> MetricRows:
        return self.rows[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)
