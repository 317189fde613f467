"""Form files: what of a row is shown and what is asked of it, in TOML.

text of the file ─▶ `TaskForm` ─▶ with the cells of a row, the form of an item. A form is text of its project and is
read anew wherever it is used; a problem is one line that names the file, the key, what came and what was expected.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal

import msgspec
import tomli
from django.utils.translation import gettext as _

from mores.core.codec import UNREADABLE, build
from mores.core.errors import InputError
from mores.core.languages import language_of
from mores.studio.flows.fields import ChoiceField, ChoiceOption, Field, ItemForm, Passage, RankField, TextField
from mores.studio.flows.form.units import SpanUnit, units_of

Cells = Mapping[str, str]
TIE = "tie"
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
TAKEN = frozenset(
    {"key", "seen", "active_ms", "csrfmiddlewaretoken", "reason", "id", "place", "kind", "expected", "feedback"}
)
"""Names that a form or a row has for something else."""
FEWEST_POINTS, MOST_POINTS, MOST_ASKED, MOST_FORM = 2, 11, 40, 50_000
MOST_UNITS = 500
"""Parts of a text that somebody may mark; more make a page that nobody can use."""


class ShownColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A column of a row that people read, and what stands above it.

    `language` is that of its words where it is another than the project's. Where another column stands `next_to` it, a
    line of the one stands next to the same line of the other.
    """

    column: str
    label: str = ""
    language: str = ""
    next_to: "ShownColumn | None" = None


class ChoiceAsk(msgspec.Struct, frozen=True, kw_only=True):
    """One of the options of the form, or several."""

    name: str
    words: str
    options: tuple[str, ...]
    several: bool = False
    required: bool = True


class LikertAsk(msgspec.Struct, frozen=True, kw_only=True):
    """Points from 1 up for each aspect; without aspects for the item as a whole."""

    name: str
    words: str
    aspects: tuple[str, ...] = ()
    points: int = 5
    low: str = ""
    high: str = ""
    required: bool = True


class PairwiseAsk(msgspec.Struct, frozen=True, kw_only=True):
    """One of the texts in two columns, or neither where `tie` allows it."""

    name: str
    words: str
    columns: tuple[str, ...]
    tie: bool = False
    required: bool = True


class RankingAsk(msgspec.Struct, frozen=True, kw_only=True):
    """Texts in columns, put in order; a row may leave some of them empty."""

    name: str
    words: str
    columns: tuple[str, ...]


class SpansAsk(msgspec.Struct, frozen=True, kw_only=True):
    """Parts of the text in a column that people mark."""

    name: str
    words: str
    column: str
    unit: Literal["sentence", "word"] = "sentence"
    required: bool = False


class TextAsk(msgspec.Struct, frozen=True, kw_only=True):
    """Free text."""

    name: str
    words: str
    limit: int = 2_000
    required: bool = False


Ask = ChoiceAsk | LikertAsk | PairwiseAsk | RankingAsk | SpansAsk | TextAsk
KINDS: Mapping[str, type[Ask]] = {
    "choice": ChoiceAsk, "likert": LikertAsk, "pairwise": PairwiseAsk, "ranking": RankingAsk, "spans": SpansAsk,
    "text": TextAsk,
}  # fmt: skip


class TaskForm(msgspec.Struct, frozen=True, kw_only=True):
    """A form: the columns that are read, and what is asked, in the order of the file."""

    show: tuple[ShownColumn, ...]
    ask: tuple[Ask, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that a row has to have."""
        found = [each.column for shown in self.show for each in (shown, shown.next_to) if each is not None]
        for ask in self.ask:
            if isinstance(ask, PairwiseAsk | RankingAsk):
                found += ask.columns
            elif isinstance(ask, SpansAsk):
                found.append(ask.column)
        return tuple(dict.fromkeys(found))


class AskedPart(msgspec.Struct, frozen=True, kw_only=True):
    """A field of a form with the question, and the aspect of it, that it asks."""

    ask: Ask
    field: Field
    aspect: str = ""


@lru_cache(maxsize=64)
def read_form(text: str, *, where: str) -> TaskForm:
    """The form in a file's text.

    Raises:
        InputError: it is not TOML, or no form; the line names the file and the key.
    """
    if len(text) > MOST_FORM:
        raise InputError(f"{where}: {len(text):,} characters; expected at most {MOST_FORM:,}.")
    try:
        data = tomli.loads(text)
    except UNREADABLE as error:
        raise InputError(f"{where}: not TOML ({error}).") from error
    unknown = sorted(set(data) - {"show", "ask"})
    if unknown:
        raise InputError(f"{where}: unknown key '{unknown[0]}'; expected [[show]] and [[ask]].")
    show = build(tuple[ShownColumn, ...], data.get("show", []), where=f"{where}: show")
    for at, shown in enumerate(show, start=1):
        _check_shown(shown, f"{where}: show {at}")
    asked = data.get("ask", [])
    if not isinstance(asked, list) or not 0 < len(asked) <= MOST_ASKED:
        count = len(asked) if isinstance(asked, list) else "no list"
        raise InputError(f"{where}: ask: {count}; expected 1 to {MOST_ASKED} tables [[ask]].")
    form = TaskForm(show=show, ask=tuple(_ask(each, f"{where}: ask {at}") for at, each in enumerate(asked, start=1)))
    for name in {each for each in form.columns if each in TAKEN - {"place"} or not each.strip()}:
        raise InputError(f"{where}: column '{name}' has another use; expected a column of its own.")
    names = [part.field.name for part in parts_of(form, dict.fromkeys(form.columns, "Words."))]
    for name in {each for each in names if names.count(each) > 1}:
        raise InputError(f"{where}: ask: '{name}' stands twice; expected each name and aspect once.")
    return form


def _check_shown(shown: ShownColumn, where: str) -> None:
    """Refuse a language that is no tag, and a third column beside two.

    Raises:
        InputError: one of them is there.
    """
    if shown.language:
        try:
            language_of(shown.language)
        except InputError as error:
            raise InputError(f"{where}: {error}") from error
    if shown.next_to is not None:
        if shown.next_to.next_to is not None:
            raise InputError(f"{where}: next_to: a third column; expected two that stand next to each other.")
        _check_shown(shown.next_to, f"{where}: next_to")


def _ask(data: object, where: str) -> Ask:
    kind = data.get("type") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"{where}: type: got {kind!r}; expected {', '.join(KINDS)}.")
    rest = {name: value for name, value in data.items() if name != "type"}
    found = build(KINDS[kind], rest, where=where)
    if not NAME.fullmatch(found.name) or found.name in TAKEN:
        raise InputError(
            f"{where}: name: got '{found.name}'; expected small letters, digits and _, and not a name in use."
        )
    if not found.words.strip():
        raise InputError(f"{where}: words: got none; expected the question.")
    _check(found, where)
    return found


def _check(ask: Ask, where: str) -> None:
    """Refuse what the kinds of fields alone let by.

    Raises:
        InputError: a list is too short or names something twice, or a number is out of its range.
    """
    match ask:
        case ChoiceAsk():
            _distinct(ask.options, f"{where}: options", 2)
        case PairwiseAsk():
            _distinct(ask.columns, f"{where}: columns", 2, most=2)
        case RankingAsk():
            _distinct(ask.columns, f"{where}: columns", 2, most=12)
        case LikertAsk():
            _distinct(ask.aspects, f"{where}: aspects", 0)
            if not FEWEST_POINTS <= ask.points <= MOST_POINTS:
                raise InputError(f"{where}: points: got {ask.points}; expected {FEWEST_POINTS} to {MOST_POINTS}.")
        case TextAsk():
            if not 1 <= ask.limit <= 20_000:
                raise InputError(f"{where}: limit: got {ask.limit}; expected 1 to 20,000 characters.")
        case SpansAsk():
            pass


def _distinct(values: Sequence[str], where: str, least: int, *, most: int = 30) -> None:
    if not least <= len(values) <= most or len(set(values)) < len(values) or not all(each.strip() for each in values):
        wanted = str(least) if least == most else f"{least} to {most}"
        raise InputError(f"{where}: got {list(values)}; expected {wanted}, none empty, each once.")


def form_of_cells(form: TaskForm, cells: Cells) -> ItemForm:
    """Form of one item: what its row shows, then what is asked."""
    shown = (each for each in form.show if cells[each.column])
    passages = tuple(_passage(each, cells) for each in shown)
    return ItemForm(passages=passages, fields=tuple(part.field for part in parts_of(form, cells)))


def _passage(shown: ShownColumn, cells: Cells) -> Passage:
    next_to = None if shown.next_to is None else _passage(shown.next_to, cells)
    return Passage(
        text=cells[shown.column], label=shown.label, label_of_item=True, language=shown.language, next_to=next_to
    )


def parts_of(form: TaskForm, cells: Cells) -> Iterator[AskedPart]:
    """The fields of an item, each with what it asks."""
    for ask in form.ask:
        match ask:
            case LikertAsk() if ask.aspects:
                for aspect in ask.aspects:
                    yield AskedPart(ask=ask, aspect=aspect, field=_scale(ask, aspect))
            case LikertAsk():
                yield AskedPart(ask=ask, field=_scale(ask, ""))
            case _:
                yield AskedPart(ask=ask, field=_field(ask, cells))


def _scale(ask: LikertAsk, aspect: str) -> ChoiceField:
    ends = {1: ask.low, ask.points: ask.high}
    options = [
        ChoiceOption(value=str(point), label=f"{point} – {words}" if words else str(point), of_item=bool(words))
        for point in range(1, ask.points + 1)
        for words in [ends.get(point, "")]
    ]
    name = "-".join((ask.name, *re.findall(r"\w+", aspect.casefold())))
    legend = f"{ask.words} {aspect}".strip()
    return ChoiceField(
        name=name, legend=legend, options=tuple(options), required=ask.required, of_item=True, scale=True
    )


def _field(ask: ChoiceAsk | PairwiseAsk | RankingAsk | SpansAsk | TextAsk, cells: Cells) -> Field:
    match ask:
        case ChoiceAsk():
            options = [ChoiceOption(value=each, label=each) for each in ask.options]
            return ChoiceField(
                name=ask.name, legend=ask.words, options=tuple(options), several=ask.several, required=ask.required,
                of_item=True,
            )  # fmt: skip
        case PairwiseAsk():
            pair = [ChoiceOption(value=each, label=cells[each]) for each in ask.columns]
            tie = [ChoiceOption(value=TIE, label=_("Neither is better"), of_item=False)] if ask.tie else []
            return ChoiceField(
                name=ask.name, legend=ask.words, options=(*pair, *tie), required=ask.required, of_item=True
            )
        case RankingAsk():
            ranked = [ChoiceOption(value=each, label=cells[each]) for each in ask.columns if cells[each]]
            return RankField(name=ask.name, legend=ask.words, options=tuple(ranked), of_item=True)
        case SpansAsk():
            marked = [ChoiceOption(value=each.name, label=each.text) for each in spans_of(ask, cells)]
            return ChoiceField(
                name=ask.name, legend=ask.words, options=tuple(marked), several=True, required=ask.required,
                marks=cells[ask.column], of_item=True,
            )  # fmt: skip
        case TextAsk():
            return TextField(name=ask.name, legend=ask.words, limit=ask.limit, required=ask.required, of_item=True)


def spans_of(ask: SpansAsk, cells: Cells) -> tuple[SpanUnit, ...]:
    """The parts of an item's text that may be marked."""
    return units_of(cells[ask.column], ask.unit)


def refuse_cells(form: TaskForm, cells: Cells, where: str) -> None:
    """Refuse a row that the form cannot ask about.

    Raises:
        InputError: what is compared is empty, fewer than two things are there to rank, or a text has too many parts.
    """
    for ask in form.ask:
        if isinstance(ask, PairwiseAsk) and not all(cells[each] for each in ask.columns):
            raise InputError(f"{where}: {' or '.join(ask.columns)} is empty; expected a text in both.")
        if isinstance(ask, RankingAsk) and sum(1 for each in ask.columns if cells[each]) < 2:
            raise InputError(f"{where}: fewer than two of {', '.join(ask.columns)} have words; expected two or more.")
        if isinstance(ask, SpansAsk) and not 0 < (parts := len(spans_of(ask, cells))) <= MOST_UNITS:
            wanted = f"expected 1 to {MOST_UNITS}: shorten it, or mark by sentence"
            raise InputError(f"{where}: {ask.column} has {parts} parts to mark; {wanted}.")
