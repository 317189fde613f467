"""The Easy and the Hard set of the questions that people kept, with what everybody answered.

Easy keeps a question with one gold option as it is. Where several are gold, the options become statements in the
question and the new options name combinations of them; which ones, and in which order, follows from the item's hash.
Hard has four rows a question. Every table comes as CSV, guarded against formulas, and as JSON Lines, word for word.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import cast

import msgspec

from mores.core.codec import encode, encode_lines
from mores.norms.places import place
from mores.studio.flows.flow import tables
from mores.studio.models import CountrySubgroup, Project
from mores.studio.work.records import ItemRecord

LETTERS = ("a", "b", "c", "d")
DONT_KNOW, UNANSWERABLE = "dont_know", "unanswerable"


class CheckQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question and its four options, in the order of a to d."""

    question: str
    options: tuple[str, ...]

    def payload(self) -> dict[str, object]:
        """As plain JSON values."""
        return {"question": self.question, "options": list(self.options)}


def read_question(payload: Mapping[str, object]) -> CheckQuestion:
    """The question in an item's words."""
    options = cast("list[str]", payload["options"])
    return CheckQuestion(question=str(payload["question"]), options=tuple(options))


def chosen(answer: Mapping[str, object]) -> frozenset[str]:
    """Options that one answer chose: letters, or one of the two that choose none."""
    return frozenset(cast("list[str]", answer["options"]))


NUMERALS = ("i", "ii", "iii", "iv")
INSTRUCTION = "More than one of these statements may hold; choose the option that names all that do."
SheetRow = dict[str, object]
Groups = Mapping[str, CountrySubgroup]


def write_culturalbench(project: Project, items: Sequence[ItemRecord]) -> dict[str, bytes]:
    """The files by name: both sets, people's answers to the kept questions, what was dropped, and a datasheet."""
    work = [item for item in items if item.kind == "work"]
    kept = [item for item in work if item.state == "complete"]
    groups = {group.code: group for group in project.groups.all()}
    dropped = [{"question_idx": item.key, **(item.outcome or {})} for item in work if item.state == "dropped"]
    return (
        tables("culturalbench-easy", [_easy(item, groups) for item in kept])
        | tables("culturalbench-hard", [row for at, item in enumerate(kept) for row in _hard(item, 4 * at, groups)])
        | tables("people", [row for item in kept for row in _people(item)])
        | {"dropped.jsonl": encode_lines(dropped)}
        | {"datasheet.json": encode(_datasheet(project, work)) + b"\n"}
    )


def _gold(item: ItemRecord) -> tuple[str, ...]:
    gold = (item.outcome or {}).get("gold")
    return tuple(map(str, gold)) if isinstance(gold, list) else ()


def _where(item: ItemRecord, groups: Groups) -> SheetRow:
    """The country, and the group within it, where the project tells groups apart."""
    group = groups.get(item.region)
    if group is not None:
        return {"country": place(group.country).name, "group": group.name}
    country = place(item.region).name if item.region else ""  # anybody's questions are of no place
    return {"country": country, **({"group": ""} if groups else {})}


def _easy(item: ItemRecord, groups: Groups) -> SheetRow:
    question, gold = read_question(item.payload), _gold(item)
    if len(gold) > 1:
        question, gold = _combined(question, gold, item.sha256)
    options = {f"prompt_option_{letter}": words for letter, words in zip(LETTERS, question.options, strict=True)}
    return {
        "question_idx": item.key,
        "prompt_question": question.question,
        **options,
        "answer": gold[0].upper(),
        **_where(item, groups),
    }


def _combined(question: CheckQuestion, gold: tuple[str, ...], sha256: str) -> tuple[CheckQuestion, tuple[str, ...]]:
    """The question with its options as statements, four combinations to choose from, and the letter of the true one."""
    statements = "\n".join(f"({numeral}) {words}" for numeral, words in zip(NUMERALS, question.options, strict=True))
    every = [several for size in range(1, 5) for several in combinations(LETTERS, size)]
    others = sorted((several for several in every if several != gold), key=lambda several: _drawn(sha256, several))
    # By another hash: the three have the smallest ones by the first, so that the gold would nearly always come last.
    shown = sorted((gold, *others[:3]), key=lambda several: _drawn(sha256, ("order", *several)))
    options = tuple(", ".join(NUMERALS[LETTERS.index(letter)] for letter in several) for several in shown)
    words = CheckQuestion(question=f"{question.question}\n{INSTRUCTION}\n{statements}", options=options)
    return words, (LETTERS[shown.index(gold)],)


def _drawn(sha256: str, about: Sequence[str]) -> str:
    return hashlib.sha256(" ".join((sha256, *about)).encode()).hexdigest()


def _hard(item: ItemRecord, first: int, groups: Groups) -> list[SheetRow]:
    question, gold = read_question(item.payload), _gold(item)
    return [
        {
            "data_idx": first + number,
            "question_idx": item.key,
            "prompt_question": question.question,
            "prompt_option": words,
            "answer": str(letter in gold).upper(),
            **_where(item, groups),
        }
        for number, (letter, words) in enumerate(zip(LETTERS, question.options, strict=True))
    ]


def _people(item: ItemRecord) -> list[SheetRow]:
    """Answers of each person, as `mores run culturalbench/hard --set people=FILE` reads it."""
    rows: list[SheetRow] = []
    for answer in item.counted:
        options = chosen(answer.answer)
        letters = "|".join(letter for letter in LETTERS if letter in options)
        none = "I don't know" if DONT_KNOW in options else ""
        rows.append({"question_idx": item.key, "annotator": answer.person, "answer": letters or none})
    return rows


def _datasheet(project: Project, work: Sequence[ItemRecord]) -> SheetRow:
    """Numbers of questions that came in, were answered and kept, by place and mode, and why the others were dropped."""
    kept = [item for item in work if item.state == "complete"]
    reasons = Counter(str((item.outcome or {}).get("reason")) for item in work if item.state == "dropped")
    return {
        "project": project.slug,
        "questions": len(work),
        "answered_in_full": sum(item.state in {"complete", "dropped"} for item in work),
        "kept": len(kept),
        "modes": dict(sorted(Counter(str((item.outcome or {})["mode"]) for item in kept).items())),
        "places": dict(sorted(Counter(item.region for item in kept).items())),
        "dropped": dict(sorted(reasons.items())),
        "annotators": len({answer.person for item in work for answer in item.counted}),
        "answers": sum(len(item.counted) for item in work),
        "answers_past_the_quota": sum(len(item.answers) - len(item.counted) for item in work),
    }
