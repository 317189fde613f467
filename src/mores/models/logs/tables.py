"""Outputs in a table of anybody's, by the columns that a person names or that can be told by their names.

A row needs a reply. What it is about is told by an item of ours, by an id of the data's own, or by the words in its
other columns; how these are matched is in `matching`. Columns may be dotted paths into what a cell of JSON holds.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from math import isnan
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import structs

from mores.core.codec import UNREADABLE
from mores.core.errors import InputError, did_you_mean
from mores.core.table import OddRow, SourceRow
from mores.models.logs.documents import LISTS, flatten, options_of, read_document
from mores.models.logs.logged_reply import NAMED, Log, Logged, LogMessage, last_user_message, odd_row, reply_of, usable

KNOWN = (
    "logs of Inspect (.eval), lm-evaluation-harness (samples_*.jsonl), HELM (scenario_state.json) and Every Eval Ever "
    "(*_samples.jsonl), and batch results of OpenAI, vLLM, Anthropic and Gemini, are read as well"
)
ITEM, REPLY, SAMPLE, PROMPT = "item", "reply", "sample", "prompt"
REPLIES = (
    REPLY, "response", "model_response", "model_output", "model_reply", "model_answer", "raw_response", "raw_output",
    "llm_response", "llm_output", "output", "completion", "generation", "generated_text", "generated", "output_text",
    "prediction", "predicted", "pred", "predicted_answer", "message", "content", "choices", "answer",
)  # fmt: skip
"""Names of a column with replies, the most certain first; the last may be the data's own key."""
KEY = REPLIES[-1]
WORDS = frozenset(
    {"response", "responses", "reply", "replies", "output", "outputs", "completion", "completions", "prediction",
     "predictions", "generation", "generations"}
)  # fmt: skip
"""Words in the name of such a column that may stand beside others, such as a model's."""
KEYS = frozenset(
    {"gold", "golden", "correct", "expected", "expect", "reference", "references", "ref", "target", "true", "truth"}
)
"""Words in the name of a column that has what would be right."""
MEASURES = frozenset(
    {"tokens", "token", "time", "id", "latency", "length", "count", "logprob", "logprobs", "score", "ms"}
)
"""Words in the name of a column that has numbers about a reply."""
INNER = ("message", "content", "text", "output_text", "response", "answer")
"""Names of a text inside a cell of JSON."""
SAMPLES = (SAMPLE, "sample_idx", "sample_index", "sample_id", "epoch", "trial", "repeat", "repetition", "attempt")
PROMPTS = (PROMPT, "messages", "full_prompt", "prompt_text", "input_prompt", "input", "query", "request")
CHATS = ("messages", "conversation", "chat")
"""Names of a dialogue whose last turn may be the reply."""
SHOWN = 12
"""Columns that are named where many are there."""


class ReplyColumns(NamedTuple):
    """Columns of the parts of a reply, by dotted path; `given` are those that a user named."""

    paths: Mapping[str, str]
    given: frozenset[str] = frozenset()

    def describe(self, others: Sequence[str]) -> str:
        """Columns that were taken and others that are there, in words."""
        taken = ", ".join(f"{part} from {path}" for part, path in self.paths.items() if part != path)
        more = f"other columns: {listed(others)}" if others else ""
        return "; ".join(filter(None, (taken, more)))


def read_table_log(rows: Iterable[SourceRow | OddRow], path: Path, given: Mapping[str, str], layout: str) -> Log:
    """The replies of a table, by the columns that are `given` and those that can be told.

    Raises:
        InputError: a column that was named is not there, none with replies can be told, or nothing can be used.
    """
    read = list(rows)
    whole = [row for row in read if isinstance(row, SourceRow)]
    leaves = {at: value for row in whole for at, value in flatten(row.cells)}
    columns = _columns(whole, leaves, path, given)
    shift = _first_sample(whole, columns)
    replies = usable(chain.from_iterable(_logged(row, columns, shift) for row in read), path, layout)
    tops = {path for taken in columns.paths.values() for path in (taken, taken.partition(".")[0])}
    names = dict.fromkeys(chain.from_iterable(row.cells for row in whole))
    remark = columns.describe([name for name in names if name not in {"", *tops}])
    return Log(layout, replies, (remark,) if remark else (), guessed=columns.paths[REPLY] if not columns.given else "")


def _columns(
    rows: Sequence[SourceRow], leaves: Mapping[str, object], path: Path, given: Mapping[str, str]
) -> ReplyColumns:
    there = set(leaves) | {name for row in rows for name in row.cells}
    for named in given.values():
        if rows and not any(value_at(row.cells, named) is not None for row in rows):
            near = did_you_mean(named, there)
            raise InputError(f"{path}: no column '{named}'.{near} Columns are {listed(sorted(map(str, there)))}.")
    paths = {ITEM: ITEM} if ITEM in there else {}
    reply = given.get(REPLY) or _reply_path(rows, leaves)
    if reply is None:
        raise InputError(
            f"{path}: no column is known to have the replies; columns are {listed(sorted(map(str, there)))}. "
            f"Name them: --columns item=COLUMN,reply=COLUMN. {KNOWN[0].upper()}{KNOWN[1:]}."
        )
    for part, names in ((SAMPLE, SAMPLES), (PROMPT, PROMPTS)):
        found = next((name for name in names if name in there and (name != reply or name in CHATS)), None)
        paths |= {part: found} if found else {}
    whole = {**paths, **given, REPLY: reply}
    return ReplyColumns(dict(sorted(whole.items())), frozenset(given))


def _reply_path(rows: Sequence[SourceRow], leaves: Mapping[str, object]) -> str | None:
    """The path of the words that are a reply, by what their column is called; None where several could be, or none."""
    tops = {path.partition(".")[0].casefold(): path.partition(".")[0] for path in leaves}
    ranked: list[str] = [tops[name] for name in REPLIES[:-1] if name in tops]
    by_word = [top for fold, top in tops.items() if _speaks(fold) and top not in ranked]
    if len(by_word) == 1:
        ranked += by_word
    if not by_word and KEY in tops:
        ranked.append(tops[KEY])
    lists = [top for top in ranked if top.casefold() in LISTS]
    options = {top for top in lists if any(options_of({top: row.cells.get(top)}) for row in rows)}
    for top in (each for each in ranked if each not in options):
        if any(_draws(row.cells.get(top)) for row in rows) and (top in leaves or f"{top}.0" in leaves):
            return top
        inner = [path for path in leaves if path.startswith(f"{top}.")]
        found = sorted((path for path in inner if path.rpartition(".")[2] in INNER), key=len)
        if found:
            return str(found[0])
    return next((name for name in CHATS if any(_last_text(row.cells.get(name)) is not None for row in rows)), None)


def _speaks(name: str) -> bool:
    """True if a column's name says that it holds a model's text, not how long that was or what would be right."""
    words = set(re.split(r"[\s_.-]+", name))
    return bool(words & WORDS) and not words & (MEASURES | KEYS)


def listed(names: Iterable[str]) -> str:
    """The first of some names, and how many more there are; a column without a name is not among them."""
    every = [name for name in names if name]
    return ", ".join(every[:SHOWN]) + (f" and {len(every) - SHOWN} more" if len(every) > SHOWN else "")


def value_at(cells: object, path: str) -> object:
    """Value at a dotted path; None where there is none."""
    if isinstance(cells, dict) and path in cells:
        return cells[path]
    name, dot, rest = path.partition(".")
    if isinstance(cells, list) and name.isdecimal():
        inner = cells[int(name)] if int(name) < len(cells) else None
    else:
        inner = cells.get(name) if isinstance(cells, dict) else None
    return value_at(inner, rest) if dot else inner


def _words(value: object) -> str | None:
    """A reply as text; None of what is none. Truth values and numbers are what a model said, as its runner kept it."""
    if isinstance(value, dict):
        value = next((value[name] for name in INNER if isinstance(value.get(name), str)), None)
    if isinstance(value, float):
        return None if isnan(value) else str(int(value)) if value.is_integer() else str(value)
    return str(value) if isinstance(value, str | int) else None


def _draws(value: object) -> list[str]:
    """Text of each draw: a text, a list of them, or the end of a dialogue; nothing of what is none."""
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return value
    reply = _last_text(value)
    words = _words(value) if reply is None else reply
    return [] if words is None else [words]


def _last_text(talk: object) -> str | None:
    """The last turn of a talk, where it is the model's."""
    turns = _turns(talk)
    return turns[-1].text if turns and turns[-1].role == "assistant" else None


def _turns(talk: object) -> list[LogMessage]:
    """Messages, or JSON of them; none of anything else."""
    try:
        whole = msgspec.json.decode(talk) if isinstance(talk, str) and talk.lstrip()[:1] == "[" else talk
        return msgspec.convert(whole, list[LogMessage])
    except UNREADABLE:
        return []


def _first_sample(rows: Sequence[SourceRow], columns: ReplyColumns) -> int:
    """The number of the first sample, where a column that is not ours counts from 1."""
    path = columns.paths.get(SAMPLE)
    if path is None or path == SAMPLE:
        return 0
    numbers = [number for row in rows if (number := _number(value_at(row.cells, path))) is not None]
    return 1 if numbers and min(numbers) == 1 else 0


def _number(value: object) -> int | None:
    """A whole number from 0; None of anything else."""
    try:
        number = float(value) if isinstance(value, str | int | float) and value != "" else 0.0
    except (ValueError, OverflowError):
        return None
    return int(number) if number.is_integer() and number >= 0 else None


def _logged(row: SourceRow | OddRow, columns: ReplyColumns, shift: int) -> list[Logged]:
    """The draws of a row, or what is wrong with it."""
    if isinstance(row, OddRow):
        return [odd_row(row.where, row.why)]
    paths = columns.paths
    reply = value_at(row.cells, paths[REPLY])
    draws, logged = _draws(reply), _row_of(row, columns, shift)
    if not draws:
        why = f"reply is {repr(reply)[:60]}; expected text (leave the row out where there is none)."
        return [odd_row(row.where, why)]
    if logged.left_out:
        return [logged]
    return [
        # samples of rows that hold several draws follow one another without a gap
        structs.replace(logged, sample=logged.sample * len(draws) + draw, reply=reply_of(text))
        for draw, text in enumerate(draws)
    ]


def _row_of(row: SourceRow, columns: ReplyColumns, shift: int) -> Logged:
    """Document of a row."""
    paths = columns.paths
    sample = _number(value_at(row.cells, paths[SAMPLE])) if SAMPLE in paths else 0
    if sample is None or sample < shift:
        return odd_row(
            row.where, f"{paths[SAMPLE]} is {value_at(row.cells, paths[SAMPLE])!r}; expected a whole number."
        )
    named = value_at(row.cells, paths[ITEM]) if ITEM in paths else None
    if ITEM in paths and not (isinstance(named, str | int) and str(named).strip()):
        return odd_row(row.where, f"item is {named!r}; expected the id of an item.")
    excluded = {paths[REPLY].partition(".")[0], paths.get(SAMPLE), paths.get(PROMPT)}
    document = read_document({name: value for name, value in row.cells.items() if name not in excluded})
    ids = ((NAMED, str(named)),) if ITEM in columns.given else ()
    return Logged(
        where=row.where,
        item=str(named) if named is not None else f"row {row.line}",
        sample=sample - shift,
        asked=_asked(value_at(row.cells, paths[PROMPT])) if PROMPT in paths else (),
        document=document._replace(ids=ids + document.ids),
    )


def _asked(prompt: object) -> tuple[str, ...]:
    """Text that was asked: a text, or the user's last message in messages or in JSON of them."""
    turns = _turns(prompt)
    if turns:
        return (last_user_message(turns),)
    return (prompt,) if isinstance(prompt, str) and prompt.strip() else ()
