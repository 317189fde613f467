"""Labels with their reasons: the two together, and thin (a label alone) against thick (with reasons).

scores of both forms ─▶ the same items, paired by unit, samples of one averaged first ─▶ a claim for each model and set,
with p-values corrected for the number of them.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.contrast import Contrast, ContrastOptions, adjusted, contrast_of, of_common_items, paired
from mores.analysis.f1 import METRIC, LabelChange, label_change
from mores.analysis.results import Result, Results
from mores.analysis.units import Subject, items_of, subjects_of
from mores.benchmarks.shapes.reasons.metrics import GOOD_FROM
from mores.core.estimate import Estimate, MetricRows, gravest
from mores.core.seeds import Seed
from mores.core.verdict import LABEL
from mores.stats.explanations import Reasons, reasons

QUARTERS = ("right_good", "right_bad", "wrong_good", "wrong_bad")
RNG_SEED = Seed("thin and thick")


class AnswerQuadrant(Struct, frozen=True, kw_only=True):
    """One of the four kinds of answers: how many there are, and the run's figure of their share."""

    name: str
    count: int
    share: float | None
    figure: Estimate | None


class Explained(Struct, frozen=True, kw_only=True):
    """One model on one benchmark of explained labels.

    `subject` is the model's name, with its run where it has several runs of one benchmark; `set` is what both forms
    ask about, the benchmark itself where it has one form. `counts` are of answers with a graded label; `unlabelled`
    counts those without. `judged_labels` is true where a judge chose the labels.
    """

    evaluation: Result
    subject: str
    set: str
    rubric: str
    counts: Reasons
    unlabelled: int
    judged_labels: bool

    @property
    def points(self) -> Estimate | None:
        """The mean points of the reasons."""
        return self.evaluation.overall(self.rubric)

    @property
    def label(self) -> Estimate | None:
        """The share of right labels, whatever the reasons."""
        return self.evaluation.overall("label_accuracy") or self.evaluation.overall("accuracy")

    @property
    def wrong_reason(self) -> Estimate | None:
        """Of right labels, the share whose reasons are bad."""
        return self.evaluation.overall("wrong_reason")

    @property
    def graded(self) -> int:
        """Answers with a grade for both."""
        return sum(self.counts[:4])

    @property
    def right(self) -> int:
        """Right labels with graded reasons."""
        return self.counts.right_good + self.counts.right_bad

    @property
    def quarters(self) -> tuple[AnswerQuadrant, ...]:
        """The table of label × reasons, a part each."""
        graded, whole = self.graded, self.evaluation.overall
        return tuple(
            AnswerQuadrant(name=name, count=count, share=count / graded if graded else None, figure=whole(name))
            for name, count in zip(QUARTERS, self.counts, strict=False)
        )

    @property
    def is_baseline(self) -> bool:
        """True for what is no model."""
        return self.evaluation.model.startswith("baseline/")


class ThinThickComparison(Struct, frozen=True, kw_only=True):
    """One model on one set in both forms, and what explaining changes: thick (B) less thin (A) in right labels.

    P is corrected for all pairs that could be tested. `only_thin` and `only_thick` count items that the other form did
    not ask, `ungraded` units that one of the two left without a grade; `other_data` is true where the data files
    differ, so that items are the same by their ids alone.
    """

    thin: Result
    thick: Explained
    contrast: Contrast
    only_thin: int
    only_thick: int
    ungraded: int
    other_data: bool

    @property
    def simulated(self) -> bool:
        """True where answers or judges were made up."""
        return self.thin.simulated or self.thick.evaluation.simulated

    @property
    def slips(self) -> tuple[Estimate | None, Estimate | None]:
        """The share of answers without a readable label in either form: a part of the change may be theirs."""
        return self.thin.overall("format_error"), self.thick.evaluation.overall("format_error")


def by_set(pairs: Sequence[ThinThickComparison]) -> dict[str, list[ThinThickComparison]]:
    """The pairs of each set; baselines are no models and are left out."""
    real = [pair for pair in pairs if not pair.thick.is_baseline]
    return {name: [p for p in real if p.thick.set == name] for name in dict.fromkeys(p.thick.set for p in real)}


def explained_of(results: Results) -> tuple[Explained, ...]:
    """The evaluations of explained labels."""
    names = {each.label: subject.name for subject in _subjects(results) for each in subject.evaluations.values()}
    return tuple(_explained(each, names[each.label], each.rubric) for each in results.evaluations if each.rubric)


def _subjects(results: Results) -> tuple[Subject, ...]:
    """Models with their evaluations by benchmark: one in several runs is one, unless it ran a benchmark twice."""
    return subjects_of(results, lambda each: each.benchmark)


def _explained(evaluation: Result, subject: str, rubric: str) -> Explained:
    label, points, card = label_rows(evaluation).value, evaluation.scores[rubric].value, evaluation.card
    known = np.isfinite(label)
    return Explained(
        evaluation=evaluation,
        subject=subject,
        set=card.draw if card and card.thin else evaluation.benchmark,
        rubric=rubric,
        counts=reasons(label[known] >= 1, points[known], good=GOOD_FROM),
        unlabelled=int((~known).sum()),
        judged_labels=any(ballot is not None for ballot in evaluation.verdict_table.ballots(LABEL)),
    )


def label_rows(result: Result) -> MetricRows:
    """Rows of labels; where reasons are graded too, those do not count."""
    scores = result.scores
    return scores["label_accuracy" if "label_accuracy" in scores else result.headline]


def pairs_of(results: Results, explained: Sequence[Explained]) -> tuple[ThinThickComparison, ...]:
    """Models and sets that the runs have in both forms, as the card of the thick one says which is the thin one."""
    held, found = {subject.name: subject.evaluations for subject in _subjects(results)}, list[ThinThickComparison]()
    for thick in explained:
        card = thick.evaluation.card
        thin = held[thick.subject].get(card.thin) if card else None
        if thin is not None:
            found.append(_pair(thin, thick))
    corrected = adjusted([each.contrast for each in found])
    return tuple(replace(each, contrast=one) for each, one in zip(found, corrected, strict=True))


def _pair(thin: Result, thick: Explained) -> ThinThickComparison:
    before, after = label_rows(thin), label_rows(thick.evaluation)
    asked, reasoned = items_of(before), items_of(after)
    pairs = paired(*of_common_items(before, after))
    terms = ContrastOptions(RNG_SEED.child(thick.set, thick.subject), "accuracy", sides=(thin, thick.evaluation))
    data, others = (set(each.provenance.data.values()) for each in (thin, thick.evaluation))
    return ThinThickComparison(
        thin=thin,
        thick=thick,
        contrast=contrast_of(pairs, terms),
        only_thin=len(asked - reasoned),
        only_thick=len(reasoned - asked),
        ungraded=pairs.shared - len(pairs.a),
        other_data=not data <= others,  # thick may name an encoder too, or people's labels
    )


class Averaged(Struct, frozen=True, kw_only=True):
    """The mean over models of one set, or over sets, each counting alike, where `set` is empty."""

    set: str
    models: int
    simulated: bool
    contrast: Contrast


class MacroF1(Struct, frozen=True, kw_only=True):
    """One contrast a pair, a family; one a set with several models, a family too; and that over all sets.

    Baselines have a contrast of their own and are in no mean.
    """

    pairs: tuple[ThinThickComparison, ...]
    contrasts: tuple[Contrast, ...]
    sets: tuple[Averaged, ...]
    whole: Averaged | None


def macro_of(pairs: Sequence[ThinThickComparison]) -> MacroF1 | None:
    """Macro F1 of all pairs whose labels were scored; None without any."""
    kept = tuple(p for p in pairs if METRIC in p.thin.scores and METRIC in p.thick.evaluation.scores)
    if not kept:
        return None
    of_set = by_set(kept)
    changes = {name: _change(own, name) for name, own in of_set.items()}
    sets = [_averaged(name, own, changes[name]) for name, own in of_set.items() if len(own) > 1]
    real = [pair for own in of_set.values() for pair in own]
    corrected = adjusted([each.contrast for each in sets])
    return MacroF1(
        pairs=kept,
        contrasts=adjusted([_of_pair(pair) for pair in kept]),
        sets=tuple(replace(each, contrast=one) for each, one in zip(sets, corrected, strict=True)),
        whole=_averaged("", real, LabelChange.over(list(changes.values()))) if len(changes) > 1 else None,
    )


def _change(pairs: Sequence[ThinThickComparison], *stream: str) -> LabelChange:
    rows = [(pair.thin.scores[METRIC], pair.thick.evaluation.scores[METRIC]) for pair in pairs]
    return label_change(rows, RNG_SEED.child(METRIC, *stream))


def _of_pair(pair: ThinThickComparison) -> Contrast:
    return _change([pair], pair.thick.set, pair.thick.subject).contrast(pair.contrast.caution)


def _averaged(name: str, pairs: Sequence[ThinThickComparison], change: LabelChange) -> Averaged:
    return Averaged(
        set=name,
        models=len({pair.thick.subject for pair in pairs}),
        simulated=any(pair.simulated for pair in pairs),
        contrast=change.contrast(gravest([pair.contrast.caution for pair in pairs])),
    )
