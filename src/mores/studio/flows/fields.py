"""Forms that people are shown, as values; one template draws them all, one function reads what is posted."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from unicodedata import normalize

import msgspec
from django.utils.translation import gettext as _

Posted = Mapping[str, Sequence[str]]
Problems = Mapping[str, str]
"""What is wrong with a posted form, by the name of the field."""
# Controls that turn lines about or hide: nothing that anybody writes needs them, `dir` on each text does their work.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")


class ChoiceOption(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to choose; an `alone` one cannot be chosen with others."""

    value: str
    label: str
    alone: bool = False
    of_item: bool = True  # words of the item, in its language; False for the studio's own


class ChoiceField(msgspec.Struct, frozen=True, kw_only=True):
    """A question with options to choose from: one, or several."""

    name: str
    legend: str
    options: tuple[ChoiceOption, ...]
    several: bool = False
    required: bool = True
    marks: str = ""  # a text whose parts are the options, named START-END: they stand in lines and not in a list
    of_item: bool = False  # its legend is words of the item or of its form, in the language of the project
    scale: bool = False  # its options have an order of their own, and stand in it for everybody


class RankField(msgspec.Struct, frozen=True, kw_only=True):
    """A question that puts options in order; the answer names all of them, the first one best.

    What is posted, and kept as a draft, is a list of `OPTION:PLACE`.
    """

    name: str
    legend: str
    options: tuple[ChoiceOption, ...]
    ranks: bool = True  # for templates, which know no classes
    of_item: bool = False  # its legend is words of the item or of its form

    @property
    def places(self) -> range:
        """The places that there are."""
        return range(1, len(self.options) + 1)


class TextField(msgspec.Struct, frozen=True, kw_only=True):
    """A question that is answered in words, at most `limit` characters."""

    name: str
    legend: str
    limit: int = 2_000
    lines: int = 3
    required: bool = False
    of_item: bool = False  # its legend is words of the item or of its form


Field = ChoiceField | RankField | TextField


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """Words of an item, with what they are: in the item's language, or in one of their own.

    Where another passage stands `next_to` it, people read the two line by line.
    """

    text: str
    label: str = ""
    label_of_item: bool = False  # it is words of the item or of its form too
    before: str = ""  # name of the field that it is asked by, which stands under it
    language: str = ""  # of its words, where it is another than the project's
    next_to: "Passage | None" = None

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Each line with the one beside it; a longer text has nothing beside its last lines."""
        other = "" if self.next_to is None else self.next_to.text
        return list(zip_longest(self.text.splitlines(), other.splitlines(), fillvalue=""))

    @property
    def words(self) -> str:
        """All of it as one text: label, words, and what stands beside them."""
        own = f"{self.label}\n{self.text}".strip()
        return own if self.next_to is None else f"{own}\n\n{self.next_to.words}"


class ItemForm(msgspec.Struct, frozen=True, kw_only=True):
    """One item as a person sees it: what to read, then what to answer.

    `about` is what items have in common that figures are told of together, such as the task of a judge.
    """

    passages: tuple[Passage, ...]
    fields: tuple[Field, ...]
    about: str = ""

    @property
    def first(self) -> tuple[Passage, ...]:
        """The passages that belong to no one field."""
        return tuple(each for each in self.passages if not each.before)

    @property
    def parts(self) -> list[tuple[tuple[Passage, ...], Field]]:
        """Each field with the passages that stand right before it."""
        return [(tuple(each for each in self.passages if each.before == field.name), field) for field in self.fields]


class PostedForm(msgspec.Struct, frozen=True, kw_only=True):
    """A posted form that is complete: plain JSON values by the name of the field."""

    values: dict[str, object]


def read_posted(fields: Sequence[Field], posted: Posted) -> PostedForm | Problems:
    """The values of a form, or what is wrong with each field that cannot be taken."""
    values: dict[str, object] = {}
    problems: dict[str, str] = {}
    for field in fields:
        found = _read(field, posted)
        if isinstance(found, _Problem):
            problems[field.name] = found.words
        else:
            values[field.name] = found
    return problems or PostedForm(values=values)


class _Problem(msgspec.Struct, frozen=True):
    words: str


def _read(field: Field, posted: Posted) -> list[str] | str | _Problem:
    match field:
        case ChoiceField():
            return _chosen(field, posted)
        case RankField():
            return _ranked(field, posted)
        case TextField():
            return _written(field, posted)


def _ranked(field: RankField, posted: Posted) -> list[str] | _Problem:
    given = dict(each.rpartition(":")[::2] for each in posted.get(field.name, ()) if each)
    if sorted(given) != sorted(option.value for option in field.options):
        return _Problem(_("Give each of them a place."))
    if sorted(given.values()) != sorted(map(str, field.places)):
        return _Problem(_("Give each place once."))
    return sorted(given, key=lambda value: int(given[value]))


def _chosen(field: ChoiceField, posted: Posted) -> list[str] | str | _Problem:
    given = set(posted.get(field.name, ()))
    chosen = [option for option in field.options if option.value in given]
    if len(chosen) != len(given):
        return _Problem(_("This is none of the options."))
    if field.required and not chosen:
        return _Problem(_("Choose at least one option.") if field.several else _("Choose an option."))
    if len(chosen) > 1 and (not field.several or any(option.alone for option in chosen)):
        return _Problem(_("These options cannot be chosen together."))
    if field.several:
        return [option.value for option in chosen]
    return chosen[0].value if chosen else ""


def _written(field: TextField, posted: Posted) -> str | _Problem:
    text = cleaned("".join(posted.get(field.name, ())[:1]))
    if field.required and not text:
        return _Problem(_("Write something here."))
    if len(text) > field.limit:
        return _Problem(
            _("Too long: %(now)d characters, at most %(limit)d.") % {"now": len(text), "limit": field.limit}
        )
    return text


def cleaned(text: str) -> str:
    r"""Words as they are kept: composed letters, one kind of line end, nothing that hides or turns lines about.

    >>> cleaned(" cafe\u0301\r\n\u202eeman ")
    'café\neman'
    """
    return _CONTROLS.sub("", normalize("NFC", text).replace("\r\n", "\n")).strip()


def shuffled(form: ItemForm, seed: str) -> ItemForm:
    """The form with the item's own options in an order that follows from `seed`.

    Scales, parts of a text and the studio's own options stay.
    """
    return msgspec.structs.replace(form, fields=tuple(_mixed(field, seed) for field in form.fields))


def _mixed(field: Field, seed: str) -> Field:
    if not isinstance(field, ChoiceField) or field.scale or field.marks:
        return field
    moved = [option for option in field.options if option.of_item and not option.alone]
    moved.sort(key=lambda option: hashlib.sha256(f"{seed} {field.name} {option.value}".encode()).hexdigest())
    left = iter(moved)
    options = tuple(next(left) if option.of_item and not option.alone else option for option in field.options)
    return msgspec.structs.replace(field, options=options)


def order_of(form: ItemForm) -> dict[str, list[str]]:
    """Values of the options as they stand, by the name of the question."""
    choices = (field for field in form.fields if isinstance(field, ChoiceField))
    return {field.name: [option.value for option in field.options] for field in choices}


class AnsweredField(msgspec.Struct, frozen=True, kw_only=True):
    """A question that was answered, with the labels or words that were given; `of_item` as of its field."""

    legend: str
    of_item: bool
    words: str


def words_of(fields: Sequence[Field], answer: Mapping[str, object]) -> list[AnsweredField]:
    """An answer as people read it; what was put in order has its places."""
    read = []
    for field in fields:
        given = answer.get(field.name)
        values = [str(each) for each in (given if isinstance(given, list | tuple) else [given or ""])]
        if not isinstance(field, TextField):
            labels = {option.value: option.label for option in field.options}
            values = [labels.get(value, value) for value in values]
        if isinstance(field, RankField):
            values = [f"{place}. {words}" for place, words in enumerate(values, start=1)]
        if any(values):
            read.append(AnsweredField(legend=field.legend, of_item=field.of_item, words="\n".join(values)))
    return read
