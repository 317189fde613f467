"""A rubric: a prompt file, what it asks for, and which of its slots hold somebody else's words."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, TypeVar

from msgspec import Struct

from mores.core.codec import encode
from mores.core.errors import InputError
from mores.core.prompt import Prompt
from mores.core.seeds import Seed
from mores.core.transcript import Message
from mores.core.verdict import JudgedUnit
from mores.judges.fence import fence, form_words
from mores.judges.parse import write_opinions
from mores.judges.rubric_answers import AnswerFormat, Ids, Opinion, json_schema, text_form
from mores.models.request import Tag
from mores.models.simulated_judge import REASON, JudgeKey

FORM = "form"
STEPS = 100  # a continuous score is planted in hundredths
_FORMS = ("fence", "again", "score", "scores", "choice", "choices")
_FORMS_OF_A_WORD = ("fence", "again", "word")

Planted = str | float | bool
T = TypeVar("T")


class CaseLabels(Struct, frozen=True, kw_only=True):
    """Names of a case among labels: its task and sample, the step of a day, and what its ids stand for.

    Ids are norms (or sides of a person) of one task, or tasks of their own; without ids `norm` names the one that is
    judged, where the task is about norms.
    """

    task: str
    sample: int
    step: int | None = None
    norm: str = ""
    ids: Literal["norms", "tasks"] = "norms"

    def thing(self, item: str, name: str) -> JudgedUnit:
        """The thing that one id stands for; "" is the whole case."""
        task, norm = self.named(name)
        return JudgedUnit(item, self.sample, task, self.step, norm)

    def by_task(self, answers: Mapping[str, T]) -> dict[str, dict[str, T]]:
        """Answers by id, as answers by task and norm."""
        if self.ids == "norms":
            return {self.task: {name or self.norm: word for name, word in answers.items()}} if answers else {}
        named = {self.named(name): word for name, word in answers.items()}
        return {task: {norm: word} for (task, norm), word in named.items()}

    def named(self, name: str) -> tuple[str, str]:
        """Task and norm."""
        return (name, "") if name and self.ids == "tasks" else (self.task, name or self.norm)


class Case(Struct, frozen=True, kw_only=True):
    """One thing to judge, or several by their ids, and the words that fill the rubric's slots (all but `form`).

    `tag` is unique to the case over all that is judged; a judge asked twice takes its `step` and the next. `key`
    is for simulated judges alone. `asks` is what people call it; None where nobody but judges is asked.
    """

    values: Mapping[str, str]
    tag: Tag
    ids: Ids = ()
    key: JudgeKey | None = None
    asks: CaseLabels | None = None


class Rubric(Struct, frozen=True, kw_only=True):
    """Questions that a judge is asked, and the form of its answer.

    The prompt has a slot `form`, which is filled with the form of the answer in words. `fenced` are the slots
    whose values somebody else wrote: they stand in a fence and are named in it by the slot's name. `many` rubrics
    judge a list of ids in one reply. Those of `one_word` have no slot for a form: their own words ask for one of the
    options alone, without a reason.
    """

    prompt: Prompt
    answer: AnswerFormat
    fenced: tuple[str, ...] = ("answer",)
    many: bool = False
    one_word: bool = False

    def __post_init__(self) -> None:
        """The prompt is a judge's and has all slots that are spoken of.

        Raises:
            InputError: it is not so.
        """
        header = self.prompt.header
        missing = sorted({FORM, *self.fenced} - self.prompt.slots - set(header.optional))
        if header.role != "judge":
            raise InputError(f"Prompt {header.name}: its role is '{header.role}'; a rubric's is 'judge'.")
        if missing:
            raise InputError(f"Prompt {header.name}: no slots {missing}; a rubric has [[form]] and what is fenced.")

    @property
    def name(self) -> str:
        """The prompt's name."""
        return self.prompt.header.name

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """All words that a judge may be asked by this rubric."""
        return (self.prompt, *(form_words(name) for name in (_FORMS_OF_A_WORD if self.one_word else _FORMS)))

    def schema(self, ids: Ids = ()) -> str:
        """JSON schema of the reply, as a JSON text.

        Raises:
            InputError: ids for a rubric that judges one thing, no ids for one that judges many, or an id twice.
        """
        return json_schema(self.answer, self._checked(ids))

    def form(self, ids: Ids = ()) -> str:
        """The form of the reply in words.

        Raises:
            InputError: as for `schema`.
        """
        if self.one_word:
            return form_words("word").render(options=", ".join(self.answer.options))
        return text_form(self.answer, self._checked(ids))

    def messages(self, case: Case, seed: Seed) -> tuple[Message, ...]:
        """Messages to the judge: the prompt, its fenced slots in a fence that is new for this case.

        Raises:
            InputError: a slot without a value or a value without a slot, or ids that do not fit the rubric.
        """
        tag = case.tag
        call = seed.child("judge", self.name, tag.item, tag.role, tag.step, tag.sample)
        fenced = self.fenced if self.prompt.header.fence else ()
        given = {name: case.values[name] for name in fenced if name in case.values}
        form = {FORM: self.form(case.ids)} if not self.one_word else {}
        values = {**case.values, **fence(given, call).words, **form}
        return (Message(role="user", content=self.prompt.render(**values)),)

    def key(
        self,
        planted: Planted | Mapping[str, Planted],
        *,
        unit: str,
        place: str | None = None,
        rung: str = "explain",
        lure: Planted | None = None,
    ) -> JudgeKey:
        """Answer key of a case, which a simulated judge alone may read.

        Args:
            planted: What is true of the answer: a level from 0 to 1 for a score (True and False, or the words,
                for a binary one), the right word for a choice; by id for a rubric that judges many.
            unit: Names the answer; the judge's errors are drawn for it.
            place: Where the judge's planted chances are looked up.
            rung: The rung of the ladder that the answer stands on.
            lure: The verdict that the text tries to talk the judge into, if it does.

        Raises:
            InputError: what is planted, or the lure, is no verdict of this rubric, or ids do not fit it.
        """
        by_id = dict(planted) if isinstance(planted, Mapping) else {"": planted}
        ids = self._checked((tuple(by_id) or ("",)) if isinstance(planted, Mapping) or self.many else ())
        truths = tuple(self.outcome(value) for value in by_id.values())
        return JudgeKey(
            unit=unit,
            truth=truths[0],
            ways={word: word for word in self.answer.options} if self.one_word else _ways(self.answer, many=self.many),
            place=place,
            rung=rung,
            affirmative=self.answer.affirmative,
            truths=truths,
            frame=_frame(ids) if ids else ("", ""),
            continuous=not self.answer.options,
            lure=None if lure is None else self.outcome(lure),
        )

    def outcome(self, planted: Planted) -> str:
        """Name of a verdict among a simulated judge's ways to say one: the word, or the level in hundredths.

        Raises:
            InputError: it is no verdict of this rubric.
        """
        options = self.answer.options
        if not options and isinstance(planted, int | float) and 0 <= planted <= 1:
            return f"{planted:.2f}"
        word = ("no", "yes")[planted] if isinstance(planted, bool) else str(planted)
        if word not in options:
            expected = ", ".join(options) or "0 to 1"
            raise InputError(f"Rubric {self.name}: planted is {planted!r}; expected {expected}.")
        return word

    def _checked(self, ids: Ids) -> Ids:
        if bool(ids) != self.many or len(set(ids)) < len(ids) or "" in ids:
            expected = "several, each once" if self.many else "none"
            raise InputError(f"Rubric {self.name}: ids are {list(ids)}; expected {expected}.")
        return ids


@lru_cache(maxsize=256)
def _ways(answer: AnswerFormat, *, many: bool) -> dict[str, str]:
    """Each verdict as a whole reply, or as what follows the id in a list."""
    if answer.options:
        opinions = {word: Opinion(reason=REASON, choice=word) for word in answer.options}
    else:
        levels = (step / STEPS for step in range(STEPS + 1))
        opinions = {f"{level:.2f}": Opinion(reason=REASON, points=level) for level in levels}
    answers = {name: write_opinions([opinion], answer) for name, opinion in opinions.items()}
    return {name: words[1:-1] for name, words in answers.items()} if many else answers


@lru_cache(maxsize=1024)
def _frame(ids: Ids) -> tuple[str, ...]:
    """Text before, between and after the verdicts of a list."""
    named = [f'{{"id":{encode(name).decode()},' for name in ids]
    return ('{"answers":[' + named[0], *("}," + name for name in named[1:]), "}]}")
