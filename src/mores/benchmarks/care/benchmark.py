"""CARE's questions on social norms, in the languages of those who wrote them, graded against what a person answered.

question ─▶ answer ─▶ a judge's points beside the reference ─▶ one verdict on quality, and one on the script.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from msgspec import Struct, structs

from mores.benchmarks.benchmark import Benchmark, CallEstimate, Grading, Setting
from mores.benchmarks.data_tables import hash_tables
from mores.benchmarks.scoring import MetricDefinition, Scoring
from mores.benchmarks.shapes.base import BaseShape
from mores.benchmarks.shapes.judge_panel import (
    JUDGE,
    RubricResult,
    bench_of,
    judging_of,
    rule,
    usable_reply,
    verdict_of,
)
from mores.benchmarks.shapes.question import (
    SUBJECT,
    OpenQuestion,
    answer_placeholder,
    effort_of,
    of_subject,
    with_cut,
)
from mores.benchmarks.shapes.scoring import SCRIPT_LABELS, VerdictMetric, VerdictSource, fault_metric, other_script
from mores.core.arrays import Floats
from mores.core.card import Card
from mores.core.codec import build, parse_json, read_text
from mores.core.errors import InputError, MissingData
from mores.core.languages import is_in_script_of
from mores.core.prompt import Prompt, ReadPrompt
from mores.core.transcript import ItemMetadata, ReplyEvent, Transcript
from mores.core.verdict import Graded
from mores.core.verdict_table import VerdictColumns, VerdictTable
from mores.data.sources import source_of
from mores.judges.rubric import FORM, Case, CaseLabels, Rubric
from mores.judges.rubric_answers import ChoiceAnswer, Opinion, Score
from mores.models.cast import Cast
from mores.models.request import AnswerKey, Tag

HERE = Path(__file__).parent
QUALITY, SCRIPT = "quality", "script"
"""The tasks: how good the answer is, and the script that it is in."""
NORMS = "Social norms"
"""The kind of question that is asked, among the five of CARE."""
CULTURES = {"ar": ("Arabic", None), "ja": ("Japanese", "JP"), "zh": ("Chinese", "CN")}
"""Of each language the name of its file, and the place of its people; Arabic is spoken in many."""
RATINGS = tuple(map(str, range(1, 11)))
GOOD, POOR = "1", "0"
"""The outcomes of a simulated answer: points that are planted in it."""
POOR_WORDS = {"ar": "لا أعرف.", "ja": "わかりません。", "zh": "我不知道。"}
"""What simulated subjects say who know nothing."""


class CareRow(Struct, frozen=True, forbid_unknown_fields=True):
    """A row of the released test set."""

    question: str
    answer: str
    culture_type: str
    associated_culture: str
    geographic_scope: str


class CareItem(OpenQuestion, frozen=True, kw_only=True):
    """A question with what a person of the culture answered; `language` is the tag of both."""

    language: str
    reference: str

    def key(self) -> AnswerKey:
        """Answer key for simulated models: the reference, or that one does not know."""
        return AnswerKey(
            unit=self.about.unit, truth=GOOD, ways={GOOD: self.reference, POOR: POOR_WORDS[self.language]},
            place=self.about.place, rung="explain", control=self.control,
        )  # fmt: skip


class CareBenchmark(BaseShape[CareItem], frozen=True, kw_only=True, dict=True):
    """The benchmark, with its prompts by language and what its judge is asked."""

    asking: Mapping[str, Prompt]
    grading: Prompt

    @cached_property
    def _rubric(self) -> Rubric:
        """Points from 0 to 1 by our form; in words without it, as the released ones are, a rating behind its name."""
        if FORM in self.grading.slots:
            return Rubric(prompt=self.grading, answer=Score())
        return Rubric(prompt=self.grading, answer=ChoiceAnswer(options=RATINGS, after="Rating"), one_word=True)

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """Prompts of subject and judge, and the words that all rubrics share."""
        return (*self.asking.values(), *self._rubric.prompts)

    @property
    def tasks(self) -> tuple[str, ...]:
        """Quality, and the script."""
        return QUALITY, SCRIPT

    def outline(self, item: CareItem, setting: Setting) -> dict[str, CallEstimate]:
        """One call to the subject, and those to each judge, again for the form's sake."""
        asked, judging = of_subject(setting.protocol), judging_of(setting)
        words = self.grading.body + self._rubric.form() + item.reference + answer_placeholder(asked)
        return {
            SUBJECT: effort_of(item.render(), asked),
            JUDGE: effort_of(words, judging.sampling, 2 * judging.runs),
        }

    async def judge(self, item: CareItem, transcript: Transcript, cast: Cast, setting: Setting) -> Grading:
        """Quality by the judges, and the script; nobody is asked about an answer that cannot be used."""
        reply, sample = usable_reply(transcript, self.due(item)), transcript.sample
        if isinstance(reply, Grading):
            return reply
        quality, script = self.due(item)
        ruled = _on_our_scale(await rule(bench_of(cast, setting), self._rubric, self._case(item, reply, sample)))
        graded = verdict_of(ruled, quality, sample, len(reply.text.split()))
        found = is_in_script_of(reply.text, item.language)
        written = Graded(
            about=script.about, sample=sample, task=SCRIPT, points=float(found is not False),
            label=SCRIPT_LABELS[found],
        )  # fmt: skip
        return with_cut(Grading((graded, written), ruled.events), transcript)

    def _case(self, item: CareItem, reply: ReplyEvent, sample: int) -> Case:
        known = {"question": item.words["question"], "reference": item.reference, "answer": reply.text,
                 "rating": "[[number]]", "example": "[[6]]"}  # fmt: skip
        key = None
        if reply.planted is not None:
            level = float(reply.planted) if reply.planted in {GOOD, POOR} else 0.0
            meant = RATINGS[round(9 * level)] if self._rubric.answer.options else level
            key = self._rubric.key(meant, unit=item.about.unit, place=item.about.place)
        return Case(
            values={name: known[name] for name in self.grading.slots if name in known},
            tag=Tag(item=item.about.item, role=JUDGE, sample=sample),
            key=key,
            asks=CaseLabels(task=QUALITY, sample=sample),
        )

    def scoring(self, setting: Setting) -> Scoring[VerdictSource]:
        """The metrics of the card."""
        return Scoring(self.card, {**MEASURES, **self.measures, **self.brought(setting)}, VerdictSource, self.also)


def _on_our_scale(ruled: RubricResult) -> RubricResult:
    """A rating from 1 to 10 as points from 0 to 1; points stay."""
    found = ruled.outcome
    if not isinstance(found, Opinion) or found.choice is None:
        return ruled
    return structs.replace(ruled, outcome=structs.replace(found, points=(int(found.choice) - 1) / 9))


def _rating(_table: VerdictTable, frame: VerdictColumns) -> Floats:
    """Points on the released scale, from 1 to 10."""
    return 1 + 9 * frame.points


MEASURES: dict[str, MetricDefinition[VerdictSource]] = {
    "quality": VerdictMetric(task=QUALITY).measure,
    "rating": VerdictMetric(task=QUALITY, points=_rating, low=1.0, top=10.0, derived=True).measure,
    "other_script": VerdictMetric(task=SCRIPT, points=other_script).measure,
    "format_error": fault_metric(QUALITY, "format_error"),
    "refusal": fault_metric(QUALITY, "refusal"),
}


def benchmark(name: str, words: ReadPrompt = Prompt.read) -> Benchmark:
    """The one benchmark of this family, `norms`."""
    card = Card.read(HERE / f"{name}.card.toml")
    asking = {language: words(HERE / f"{name}.{language}.prompt.md") for language in CULTURES}
    return CareBenchmark(
        card=card,
        read=lambda setting: _items(setting, card, asking),
        asking=asking,
        grading=words(HERE / "quality.prompt.md"),
        trace=lambda setting: hash_tables(_files(setting.data, card).values()),
    )


def _files(data: Path | None, card: Card) -> dict[str, Path]:
    """The files of the languages whose file is there.

    Raises:
        MissingData: no data was named, or none of them is there.
    """
    wanted = " or ".join(card.files)
    if data is None:
        name = source_of(card.name)
        raise MissingData(
            f"{card.name} needs its data: --data DIR with {wanted}, or --data {name} after mores data fetch {name}; "
            f"see mores show {card.name}."
        )
    folders = (data, data / "data")
    found = {
        language: folder / f"{name}-test.json"
        for language, (name, _) in CULTURES.items()
        for folder in folders
        if (folder / f"{name}-test.json").is_file()
    }
    if not found:
        raise MissingData(f"--data {data}: no data of {card.name} there; expected {wanted}.")
    return found


def _items(setting: Setting, card: Card, asking: Mapping[str, Prompt]) -> Iterator[CareItem]:
    for language, path in _files(setting.data, card).items():
        rows = build(list[CareRow], parse_json(read_text(path), where=str(path)), where=str(path))
        if not any(row.culture_type == NORMS for row in rows):
            raise InputError(f"{path}: no row has the culture_type '{NORMS}'; expected some.")
        for number, row in enumerate(rows, start=1):
            if row.culture_type != NORMS:
                continue
            if not row.question.strip() or not row.answer.strip():
                raise InputError(f"{path}: row {number} has no question or no answer; expected text in both.")
            item = f"care-{language}-{number:03}"
            yield CareItem(
                about=ItemMetadata(
                    item=item, unit=item, cluster=item, place=CULTURES[language][1],
                    groups={"language": language, "scope": row.geographic_scope},
                ),
                prompt=asking[language],
                words={"question": row.question.strip()},
                language=language,
                reference=row.answer.strip(),
                line=number,
            )  # fmt: skip
