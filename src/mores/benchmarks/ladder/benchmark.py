"""The norm ladder: know a norm, judge a scene by it, explain why, apply it, keep to it in a talk, live by it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeVar

from msgspec import structs
from msgspec.structs import replace

from mores.analysis.controls import KEPT
from mores.analysis.results import Results
from mores.benchmarks.benchmark import Benchmark, SectionReference, Setting
from mores.benchmarks.data_tables import DataRow, filled, one_of, read_table
from mores.benchmarks.ladder.controls import controls_of_rung
from mores.benchmarks.ladder.languages import asked_for, language_of_pack, prompts_by_language, spellings, spoken_in
from mores.benchmarks.ladder.pack_info import (
    PackOf,
    describe_norms,
    groups_of,
    name_of,
    norm_sources,
    pack_of,
    where_of,
)
from mores.benchmarks.ladder.rung_converse import talk_benchmark
from mores.benchmarks.ladder.rung_live import live_benchmark
from mores.benchmarks.ladder.scores import LABELS_OF_SCENES, PEOPLE_KEPT, RUNGS
from mores.benchmarks.scoring import MetricDefinition
from mores.benchmarks.shapes.closed_question import ClosedBenchmark, ClosedItem, QuestionFormat
from mores.benchmarks.shapes.days.benchmark import DayBenchmark
from mores.benchmarks.shapes.dialogues.benchmark import DialogueBenchmark
from mores.benchmarks.shapes.human_baseline import (
    AnnotatorVote,
    compare_with_people,
    people_measures,
    people_on_scale,
    people_table,
)
from mores.benchmarks.shapes.open_answer import HeldNorm, NormedBenchmark, NormedItem
from mores.benchmarks.shapes.reasons.benchmark import ExplainedBenchmark, ExplainedItem
from mores.benchmarks.shapes.scoring import VerdictSource
from mores.core.card import Card
from mores.core.errors import InputError
from mores.core.languages import ENGLISH
from mores.core.prompt import Prompt, ReadPrompt
from mores.core.transcript import ItemMetadata
from mores.judges.verifier import NormPrompts
from mores.norms.items import ExplainItem
from mores.norms.pack import ApplyItem, BundleNorm, Pack, PackNorm, parallel
from mores.tables import Analysis, AnalysisResult

PollableRung = Literal["know", "judge", "explain"]
"""Rungs on which people can be asked, each norm's first question."""
LETTERS = "abcd"
PEOPLE = "people"
"""Name of the option."""
COLUMNS = ("norm", "rung", "annotator", "answer")
_LETTERS = re.compile(r"[a-d](?:\|[a-d])*")


def people_of(setting: Setting, rung: PollableRung) -> tuple[tuple[AnnotatorVote, ...], dict[str, frozenset[str]]]:
    """People's answers on a rung, and the truth of each norm; nothing where the run names no file.

    Raises:
        InputError: the file cannot be read, an answer is malformed or given twice, or no norm of it is in the pack.
    """
    file = setting.protocol.settings.get(PEOPLE, "")
    if not file:
        return (), {}
    path = Path(file)
    if not path.is_file():
        raise InputError(f"--set {PEOPLE}={file}: no such file; expected a CSV with {', '.join(COLUMNS)}.")
    # Votes name a norm, which is the name of its first question's unit: they are on that one alone.
    truths = {norm.norm.id: true for norm in pack_of(setting.data).norms if (true := _true(norm, rung))}
    votes = _votes(path, rung)
    if not any(vote.question in truths for vote in votes):
        example = min(truths, default="")
        raise InputError(f"{path}: no answers on the rung {rung} to a norm of the pack; expected such as '{example}'.")
    return votes, truths


def _true(entry: PackNorm, rung: PollableRung) -> frozenset[str]:
    match rung:
        case "know":
            return frozenset(
                letter for letter, option in zip(LETTERS, entry.know[0].options, strict=False) if option.true
            )
        case "judge":
            return frozenset({entry.judge[0].label})
        case "explain":
            return frozenset() if entry.explain is None else frozenset({entry.explain.label})


def _votes(path: Path, rung: PollableRung) -> tuple[AnnotatorVote, ...]:
    found: dict[tuple[str, str], AnnotatorVote] = {}
    for row in read_table(path, COLUMNS):
        if one_of(row, "rung", ("know", "judge", "explain")) != rung:
            continue
        vote = AnnotatorVote(filled(row, "norm").strip(), filled(row, "annotator").strip(), _answers(row, rung))
        if found.setdefault(vote[:2], vote) is not vote:
            raise InputError(f"{row.where}: annotator '{vote.annotator}' answers {vote.question} on {rung} twice.")
    return tuple(found.values())


def _answers(row: DataRow, rung: PollableRung) -> frozenset[str]:
    answer = row.cells["answer"].strip().casefold()
    if answer in {"", "none"}:
        return frozenset()
    if rung != "know":
        return frozenset({one_of(row, "answer", ("yes", "no", "neutral"))})
    if not _LETTERS.fullmatch(answer):
        raise InputError(f"{row.where}: answer is '{row.cells['answer']}'; expected letters such as b, or a|c.")
    return frozenset(answer.split("|"))


def _known_people(setting: Setting, rung: PollableRung) -> tuple[tuple[AnnotatorVote, ...], dict[str, frozenset[str]]]:
    """The same of a run that is read again, whose file or pack may be elsewhere by now: its figures are stored."""
    try:
        return people_of(setting, rung)
    except InputError:
        return (), {}


def people_kept(setting: Setting, rung: Literal["know", "judge"]) -> dict[str, MetricDefinition[VerdictSource]]:
    """People's norms kept on a rung, on the scale of the ladder; no figure where the run names no file."""
    votes, truths = _known_people(setting, rung)
    entries = pack_of(setting.data).norms if votes else ()
    options = {entry.norm.id: len(entry.know[0].options) for entry in entries}

    def score(vote: AnnotatorVote) -> float | None:
        true = truths.get(vote.question)
        if true is None:
            return None
        if rung == "judge":
            return 1.0 if vote.answers == true else -1 / (LABELS_OF_SCENES - 1)
        false = options[vote.question] - len(true)
        # Of a question whose statements are all of one kind nobody knows what a guess would get.
        if not true or not false:
            return None
        return len(vote.answers & true) / len(true) - len(vote.answers - true) / false

    return {PEOPLE_KEPT: people_on_scale(votes, score)}


def describe_people(setting: Setting, rung: PollableRung) -> tuple[str, ...]:
    """Number of people and of their answers on a rung, in a sentence; nothing where the run names no file."""
    votes, truths = people_of(setting, rung)
    if not votes:
        return ()
    asked, people = {vote.question for vote in votes} & truths.keys(), {vote.annotator for vote in votes}
    sentence = (
        f"People's answers on the rung {rung}: {len(votes):,} by {len(people):,} annotators to {len(asked):,} of "
        f"{len(truths):,} norms."
    )
    return (sentence,)


HERE = Path(__file__).parent
OWN: tuple[SectionReference, ...] = (
    "mores.benchmarks.ladder.analysis:LADDER_ANALYSIS",
    "mores.benchmarks.ladder.anchors_analysis:ANCHORS_ANALYSIS",
    "mores.benchmarks.ladder.benchmark:PEOPLE_ANALYSIS",
)
"""The analyses that the ladder has of its own."""
_Shape = TypeVar("_Shape", ClosedBenchmark, ExplainedBenchmark, NormedBenchmark, DialogueBenchmark, DayBenchmark)


def _pack(setting: Setting) -> Pack:
    return pack_of(setting.data)


def benchmark(name: str, words: ReadPrompt = Prompt.read, packs: PackOf = _pack) -> Benchmark:
    """One of `know`, `judge`, `explain`, `apply`, `converse` and `live`, over the pack of a run."""
    match name:
        case "explain":
            return _on_ladder(name, _explain(words, packs), packs)
        case "apply":
            return _on_ladder(name, _apply(words, packs), packs)
        case "converse":
            return _on_ladder(name, talk_benchmark(packs, _trace, _remarks, words), packs)
        case "live":
            return _on_ladder(name, live_benchmark(packs, _about, words), packs)
        case _:
            return _on_ladder(name, _closed(name, words, packs), packs)


def _on_ladder(name: str, shape: _Shape, packs: PackOf) -> _Shape:
    """A benchmark of any shape that also scores its rung and has the ladder's section."""
    sections = (*OWN, *shape.sections)
    also, rests = {KEPT: RUNGS[name].measure}, norm_sources
    controls = controls_of_rung(name, packs)
    # The town speaks English.
    spoken = {} if name == "live" else {"languages": lambda setting: spoken_in(packs(setting))}
    return replace(shape, also=also, sections=sections, rests_on=rests, controls=controls, **spoken)


def _closed(name: str, words: ReadPrompt, packs: PackOf) -> ClosedBenchmark:
    rung: Literal["know", "judge"] = "know" if name == "know" else "judge"
    forms = {tag: _form(rung, tag, prompt) for tag, prompt in prompts_by_language(rung, words).items()}
    items = _know if rung == "know" else _judge

    def read(setting: Setting) -> Sequence[ClosedItem]:
        people_of(setting, rung)  # a file that does not fit is refused before anything is asked
        pack = packs(setting)
        form = forms[language_of_pack(pack, setting.protocol.variant)]
        return [item for entry in pack.norms for item in items(entry, form)]

    return ClosedBenchmark(
        card=Card.read(HERE / f"{name}.card.toml"), forms=tuple(forms.values()), read=read,
        trace=_trace, tell=lambda setting: _rung_remarks(setting, rung),
        brought=lambda setting: {**people_measures(*_known_people(setting, rung)), **people_kept(setting, rung)},
    )  # fmt: skip


def _form(rung: Literal["know", "judge"], language: str, prompt: Prompt) -> QuestionFormat:
    """Format of a rung's questions in a language."""
    labels = ("true", "false") if rung == "know" else ("yes", "no", "neutral")
    capital = rung == "know" and language == ENGLISH
    texts = {label: asked_for(language, label) for label in labels}
    return QuestionFormat(
        prompt=prompt,
        slots=("place", "question", "statement") if rung == "know" else ("place", "story", "question"),
        label_texts={label: word.capitalize() if capital else word for label, word in texts.items()},
        affirmative="true" if rung == "know" else "yes",
        rung=rung,
        spellings={} if language == ENGLISH else spellings(language, *labels),
    )


def _know(entry: PackNorm, form: QuestionFormat) -> Iterator[ClosedItem]:
    for unit, known in parallel("know", entry.norm.id, entry.know):
        for number, option in enumerate(known.options, start=1):
            yield ClosedItem(
                about=_asked(entry, f"{unit}-{number}", unit, boundary=bool(known.boundary)),
                form=form,
                words=(where_of(entry), known.question, option.text),
                gold="true" if option.true else "false",
                drawn=entry.norm.id,
            )


def _judge(entry: PackNorm, form: QuestionFormat) -> Iterator[ClosedItem]:
    for unit, scene in parallel("judge", entry.norm.id, entry.judge):
        yield ClosedItem(
            about=_asked(entry, unit, unit, boundary=bool(scene.boundary)),
            form=form,
            words=(where_of(entry), scene.story, scene.question),
            gold=scene.label,
            drawn=entry.norm.id,
        )


def _explain(words: ReadPrompt, packs: PackOf) -> ExplainedBenchmark:
    prompts = prompts_by_language("explain", words)
    return ExplainedBenchmark(
        card=Card.read(HERE / "explain.card.toml"),
        prompt=prompts[ENGLISH],
        parts=tuple(prompt for tag, prompt in prompts.items() if tag != ENGLISH),
        grading=words(HERE / "explain_rubric.prompt.md"),
        dimension="coverage",
        labels=("yes", "no"),
        read=lambda setting: _read_explain(setting, packs(setting), prompts),
        trace=_trace,
        tell=lambda setting: _rung_remarks(setting, "explain"),
        brought=lambda setting: people_measures(*_known_people(setting, "explain"), frame=lambda source: source.label),
    )


def _read_explain(setting: Setting, pack: Pack, prompts: Mapping[str, Prompt]) -> Sequence[ExplainedItem]:
    people_of(setting, "explain")
    language = language_of_pack(pack, setting.protocol.variant)
    prompt = prompts[language]
    items = [_explained(entry, entry.explain, prompt, language) for entry in pack.norms if entry.explain is not None]
    if not items:
        raise InputError(f"Pack {pack.id}: no norm has a table [norm.explain]; expected one for this rung.")
    return items


def _explained(entry: PackNorm, item: ExplainItem, prompt: Prompt, language: str) -> ExplainedItem:
    where, other = where_of(entry), "no" if item.label == "yes" else "yes"
    words = {label: asked_for(language, label).capitalize() for label in ("yes", "no")}
    return ExplainedItem(
        about=_about(entry, f"explain-{entry.norm.id}"),
        prompt=prompt,
        words={"place": where, "story": item.story, "question": item.question},
        gold=item.label,
        held_against={
            "place": where,
            "norm": entry.norm.statement,
            "reference": item.reference,
            "elements": "\n".join(f"- {element}" for element in item.elements),
        },
        ways={
            item.label: (f"{words[item.label]}. {item.reference}", f"{words[item.label]}. {item.thin}"),
            other: (f"{words[other]}. {item.reference}", f"{words[other]}. People there would see it so."),
        },
        spellings={} if language == ENGLISH else spellings(language, "yes", "no"),
    )


def _apply(words: ReadPrompt, packs: PackOf) -> NormedBenchmark:
    prompts = prompts_by_language("apply", words)
    return NormedBenchmark(
        card=Card.read(HERE / "apply.card.toml"),
        prompt=prompts[ENGLISH],
        parts=tuple(prompt for tag, prompt in prompts.items() if tag != ENGLISH),
        norm_prompts=NormPrompts.read(words),
        read=lambda setting: _read_apply(setting, packs(setting), prompts),
        trace=_trace,
        tell=_remarks,
    )


def _read_apply(setting: Setting, pack: Pack, prompts: Mapping[str, Prompt]) -> Sequence[NormedItem]:
    norms = {entry.norm.id: entry for entry in pack.norms}
    prompt = prompts[language_of_pack(pack, setting.protocol.variant)]
    if not pack.bundles:
        raise InputError(f"Pack {pack.id}: no table [[bundle]]; expected one for this rung.")
    return [_applied(bundle, norms, prompt) for bundle in pack.bundles]


def _applied(bundle: ApplyItem, norms: Mapping[str, PackNorm], prompt: Prompt) -> NormedItem:
    item, first = f"apply-{bundle.id}", norms[bundle.norm[0].id]
    held = tuple(_held(item, bundle.id, norm, norms[norm.id]) for norm in bundle.norm)
    return NormedItem(
        about=ItemMetadata(item=item, unit=item, cluster=bundle.id, place=first.norm.place),
        prompt=prompt,
        words={"question": bundle.question},
        place_name=name_of(first),
        question=bundle.question,
        norms=held,
    )


def _held(item: str, bundle: str, norm: BundleNorm, entry: PackNorm) -> HeldNorm:
    about = structs.replace(_about(entry, item), cluster=bundle, part=entry.norm.id)
    ways = {"satisfied": norm.satisfied, "neutral": norm.neutral, "violated": norm.violated}
    courteous = {"keeps": "satisfied", "breaks": "violated"}.get(entry.norm.courtesy, "neutral")
    return HeldNorm(about=about, statement=entry.norm.statement, ways=ways, courteous=(courteous,))


def _trace(setting: Setting) -> dict[str, str]:
    pack = _pack(setting)
    return {f"pack {pack.id} {pack.version}": pack.fingerprint}


def _remarks(setting: Setting) -> tuple[str, ...]:
    return describe_norms(setting.data)


def _rung_remarks(setting: Setting, rung: PollableRung) -> tuple[str, ...]:
    return (*_remarks(setting), *describe_people(setting, rung))


def _about(entry: PackNorm, item: str, *, boundary: bool = False) -> ItemMetadata:
    norm, groups = entry.norm, groups_of(entry, boundary=boundary)
    return ItemMetadata(item=item, unit=norm.id, cluster=norm.id, place=norm.place, groups=groups)


def _asked(entry: PackNorm, item: str, asked: str, *, boundary: bool) -> ItemMetadata:
    """A question of a norm that may have several, each a unit of its own; the first is the norm's."""
    return structs.replace(_about(entry, item, boundary=boundary), unit=asked.partition("-")[2])


RIGHT: dict[str, str | None] = {"ladder/know": None, "ladder/judge": None, "ladder/explain": "label_accuracy"}
"""The metric of a model that stands beside people's; None for the headline."""
TABLE = people_table("ladder_people")


def analyse(results: Results) -> AnalysisResult | None:
    """Models beside people on each rung on which people were asked; None where there is none."""
    return compare_with_people(TABLE, ((results.on(name), right) for name, right in RIGHT.items()))


PEOPLE_ANALYSIS = Analysis(
    id=TABLE.id, title="People on the ladder", tables=(TABLE,), analyse=analyse, order=-9
)  # fmt: skip
