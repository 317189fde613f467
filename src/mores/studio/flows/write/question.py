"""A question as its writer sends it: the form, what is stored, and what goes on to those who check it."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from mores.studio.flows.fields import (
    ChoiceField,
    ChoiceOption,
    Field,
    Posted,
    PostedForm,
    Problems,
    TextField,
    read_posted,
)

LETTERS = ("a", "b", "c", "d")


def fields() -> tuple[Field, ...]:
    """Fields that a writer fills in, in the order of the page."""
    options = (TextField(name=letter, legend=letter.upper(), limit=500, lines=2, required=True) for letter in LETTERS)
    return (
        TextField(name="situation", legend=_("Your note: what do people do there, when, and with whom?"), limit=1_000),
        TextField(name="question", legend=_("Question"), limit=1_000, required=True),
        *options,
        ChoiceField(
            name="holds",
            legend=_("Which hold where you are from?"),
            options=tuple(ChoiceOption(value=letter, label=letter.upper(), of_item=False) for letter in LETTERS),
            several=True,
        ),
        ChoiceField(name="common", legend=_("How common is this where you are from?"), options=_levels(
            _("almost nobody does it"), _("some do"), _("about half do"), _("most do"), _("almost everybody does it"),
        )),
        ChoiceField(name="knows", legend=_("How well do you know this custom?"), options=_levels(
            _("from hearsay"), _("a little"), _("fairly well"), _("well"), _("I live by it"),
        )),
    )  # fmt: skip


def _levels(*labels: str) -> tuple[ChoiceOption, ...]:
    return tuple(
        ChoiceOption(value=str(level), label=label, of_item=False) for level, label in enumerate(labels, start=1)
    )


def read_question(posted: Posted) -> PostedForm | Problems:
    """The question in a form, or what is wrong with each field: empty, or twice the same."""
    read = read_posted(fields(), posted)
    if not isinstance(read, PostedForm):
        return read
    problems: dict[str, str] = {}
    seen: set[str] = set()
    for letter in LETTERS:
        words = str(read.values[letter]).casefold()
        if words in seen:
            problems[letter] = _("Another option says the same.")
        seen.add(words)
    return problems or read


def filled(payload: Mapping[str, Any]) -> dict[str, object]:
    """Values of the form, out of what is stored of a question."""
    return {"question": payload["question"], **dict(zip(LETTERS, payload["options"], strict=True)), **payload["writer"]}


def payload_of(values: Mapping[str, object]) -> dict[str, object]:
    """Payload of an item: `question` and `options` as those who check it see them, and the writer's own remarks."""
    return {
        "question": values["question"],
        "options": [values[letter] for letter in LETTERS],
        "writer": {name: values[name] for name in ("holds", "common", "knows", "situation", "offered")},
    }


def reworded(payload: Mapping[str, Any], values: Mapping[str, object]) -> dict[str, object]:
    """Payload of a question in other words; what help its writer was offered stays."""
    return payload_of({**values, "offered": payload["writer"].get("offered", "")})


def forwarded(payload: Mapping[str, object]) -> dict[str, object]:
    """Payload that goes on: without the answer that the writer holds to be true."""
    return {"question": payload["question"], "options": payload["options"]}


def first(body: Mapping[str, Sequence[str]], name: str) -> str:
    """One value of a form, empty where there is none."""
    values = body.get(name) or [""]
    return str(values[0])[:2_000]
