"""Judged runs made by hand, with the votes of their judges and people's labels of them, planted as a test wants."""

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mores.annotation.judged_items import judged_evaluations, judged_things
from mores.annotation.label_tables import read_tables
from mores.annotation.sample import OnePer, Sample, SampleRow, SampleSpec, unit_of
from mores.calibration.correct_tasks import correct_tables
from mores.calibration.corrections import CorrectionOptions, Corrections
from mores.core.codec import encode_lines
from mores.core.estimate import Estimate
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Graded, JudgeAnswer, Ungraded, Verdict, Vote, VoteSummary, in_order
from mores.runs.loading import read_results
from mores.stats.intervals import wilson
from tests.reports.made import Made, run_of

BENCHMARK, MODEL, JUDGE = "made/talks", "openai/subject", "openai/judge"
YES_NO = ("yes", "no")
COLUMNS = ("id", "item", "task", "annotator", "label")


@dataclass(frozen=True, kw_only=True)
class Play:
    """One answer: what the judge says of it (None where its word is unreadable), where, and in which cluster.

    `said` is one word or number, or several, a draw each; "settled" is an answer that leaves nothing to judge.
    """

    item: str
    said: str | float | Sequence[str] | None
    place: str | None = None
    cluster: str = ""

    @property
    def about(self) -> ItemMetadata:
        return ItemMetadata(item=self.item, unit=self.item, cluster=self.cluster or self.item, place=self.place)

    @property
    def draws(self) -> tuple[str | float | None, ...]:
        return (self.said,) if self.said is None or isinstance(self.said, str | float | int) else tuple(self.said)


def judged_run(
    folder: Path, plays: Sequence[Play], *, task: str = "polite", options: tuple[str, ...] = YES_NO,
    worth: Mapping[str, float] | None = None, figure: float | None = None, model: str = MODEL,
    judges: Sequence[str] = (JUDGE,),
) -> Path:  # fmt: skip
    """A run of one evaluation, its figure the mean over answers by default."""
    points = dict(worth or {option: float(option == options[0]) for option in options})
    verdicts = [_verdict(play, task, points) for play in plays]
    graded = [v.points for v in verdicts if isinstance(v, Graded)]
    mean = sum(graded) / len(graded) if figure is None else figure
    low, high, *_ = wilson(min(max(mean, 0.0), 1.0) * len(graded), len(graded))
    told = Estimate(metric=task, value=mean, low=low, high=high, asked=len(plays), graded=len(graded))
    roles = {"judge" if n == 0 else f"judge_{n + 1}": spec for n, spec in enumerate(judges)}
    judging = {"sampling": {"temperature": 1.0}, "runs": 1}
    made = Made(model=model, benchmark=BENCHMARK, verdicts=verdicts, figures={task: told}, roles=roles, headline=task,
                judging=judging, also={"prompts": {"made.polite.v1": "p1"}})  # fmt: skip
    run = run_of(folder, made)
    votes = [vote for play in plays if play.said != "settled" for vote in _votes(play, task, options, roles)]
    (run / "cell-0" / "votes.jsonl").write_bytes(encode_lines(in_order(votes)))
    return run


def _verdict(play: Play, task: str, points: Mapping[str, float]) -> Verdict:
    if play.said == "settled":
        return Graded(about=play.about, sample=0, task=task, points=0.0, fault="refusal", reason="nothing to judge")
    words = [word for word in play.draws if word is not None]
    most = max(dict.fromkeys(words), key=words.count, default=None)
    if most is None:
        return Ungraded(about=play.about, sample=0, task=task, cause="judge: no word")
    ballot = VoteSummary(votes=len(words), asked=len(play.draws), words=9)
    if not isinstance(most, str):
        return Graded(about=play.about, sample=0, task=task, points=float(most), ballot=ballot)
    return Graded(about=play.about, sample=0, task=task, points=points[most], label=most, ballot=ballot)


def _votes(play: Play, task: str, options: tuple[str, ...], roles: Mapping[str, str]) -> Iterable[Vote]:
    for role in roles:
        for draw, word in enumerate(play.draws):
            if word is None:
                said = JudgeAnswer(cause="no word")
            elif isinstance(word, str):
                said = JudgeAnswer(label=word, reason="So it seems.")
            else:
                said = JudgeAnswer(points=float(word), reason="So it seems.")
            yield Vote(item=play.item, sample=0, task=task, judge=role, draw=draw, prompt="p1",
                       options=() if said.points is not None or not options else options, said={"": said})  # fmt: skip


def labels_file(
    path: Path, rows: Iterable[tuple[str, str, str | float]], *, task: str = "polite", ids: bool = False
) -> Path:
    """Labels: item (or id of a work list), person, label."""
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(COLUMNS)
        for name, person, label in rows:
            writer.writerow((name, "", "", person, label) if ids else ("", name, task, person, label))
    return path


def drawn(runs: Sequence[Path], items: Iterable[str], one_per: OnePer, *, task: str = "polite") -> Sample:
    """The sealed record of a sample that has these items, whose ids are "MODEL:ITEM".

    Each stands for all things of its unit; with units of their own they were picked, and have no chance.
    """
    evaluations, names = judged_evaluations(runs), list(items)
    things = [each for of in evaluations for each in judged_things(of) if each.thing.task == task]
    among = Counter(unit_of(each, one_per) for each in things)
    chances = {(each.evaluation.model, each.thing.item): 1 / among[unit_of(each, one_per)] for each in things}
    rows = []
    for evaluation in evaluations:
        plays = evaluation.plays({(name, 0) for name in names})
        rows += [
            SampleRow(id=f"{evaluation.model}:{name}", play=plays[name, 0],
                  model=evaluation.model, benchmark=evaluation.benchmark, item=name,
                  sample=0, task=task,
                  chance=None if one_per == "none" else chances[evaluation.model, name])
            for name in names
        ]  # fmt: skip
    return Sample(wanted=SampleSpec(n=len(rows), one_per=one_per), population=1000, rows=tuple(rows))


def corrections(
    runs: Sequence[Path], labels: Path, options: CorrectionOptions | None = None, sample: Sample | None = None
) -> Corrections:
    """As the command works them out."""
    tables = read_tables(runs, (labels,), sample)
    return correct_tables(tables, read_results(runs).evaluations, options or CorrectionOptions())
