"""People beside people: how far they agree, how near the judge comes, and whether it is worse than one of them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mores.people.tables import TaskTable
from mores.reports.trust.agreement_words import Grid, Scale, chance, finite, number, plain, told
from mores.stats import (
    AltTest,
    Ceiling,
    Design,
    Measured,
    RaterAgreement,
    alt_test,
    human_ceiling,
    krippendorff_alpha,
    rater_agreement,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleAgreement:
    """People with each other, with the judge as one more of them, and the judge against each.

    `raters` and `with_judge` are for words, `alpha` and `alpha_with_judge` for points; both count things that two or
    more have labelled. `labels` says how many each person gave.
    """

    labels: dict[str, int]
    ceiling: Ceiling
    alt: AltTest
    points: bool
    raters: RaterAgreement | None = None
    with_judge: RaterAgreement | None = None
    alpha: Measured | None = None
    alpha_with_judge: Measured | None = None

    def lines(self) -> Iterator[str]:
        """How near the judge comes to people, and what the alt-test says."""
        scale: Scale = "number" if self.points else "share"
        ceiling = self.ceiling
        if ceiling.units:
            yield (
                f"Human ceiling, over {ceiling.units:,} with two people or more: two people are alike "
                f"{told(ceiling.people, scale)}, judge and person {told(ceiling.judge, scale)}; of these people, over "
                "other things."
            )
        else:
            yield f"No human ceiling: {ceiling.people.why}."
        yield self._standing_in()

    def _standing_in(self) -> str:
        alt = self.alt
        if alt.passed is None:
            return f"No alt-test: {alt.why}."
        beaten, of = sum(each.beaten for each in alt.people), len(alt.people)
        return (
            f"Alt-test {'passed' if alt.passed else 'not passed'}: beside {beaten} of {of} people, each set aside in "
            f"turn, the judge is shown to be not worse by {alt.epsilon:g} (epsilon) or more; half of them are needed. "
            f"Advantage probability {number(alt.advantage, 'share')}: the share of things on which it is no further "
            "from the others than the person set aside."
        )

    def grids(self) -> Iterator[Grid]:
        """People among themselves and with the judge; each person against the judge."""
        rows = tuple(self._rows())
        if rows:
            yield Grid(title="People with each other, and with the judge as one more", rows=rows,
                       heads=("figure", "people", "with judge"))  # fmt: skip
        if self.alt.people:
            left = ", ".join(f"{name} {count}" for name, count in self.alt.left_out)
            yield Grid(
                title="Share of things on which each is no further from the other people than the one beside it",
                heads=("n", "judge", "person", "p", "adjusted", "person set aside"),
                rows=tuple(
                    (str(each.items), number(each.judge_wins, "share"), number(each.person_wins, "share"),
                     chance(each.p), chance(each.adjusted), each.name)
                    for each in self.alt.people
                ),
                note=f"Too few labels for the test: {left}." if left else "",
            )  # fmt: skip

    def _rows(self) -> Iterator[tuple[str, str, str]]:
        if self.raters is not None and self.with_judge is not None and self.raters.units:
            one, other = self.raters, self.with_judge
            pairs: tuple[tuple[str, Measured, Measured, Scale], ...] = (
                ("pairs that agree", one.pairwise, other.pairwise, "share"),
                ("Fleiss' kappa", one.fleiss, other.fleiss, "number"),
                ("Krippendorff's alpha", one.alpha, other.alpha, "number"),
                ("Gwet's AC1", one.ac1, other.ac1, "number"),
                ("PABAK", one.pabak, other.pabak, "number"),
            )
            for name, among, joined, scale in pairs:
                yield name, told(among, scale), told(joined, scale)
        if self.alpha is not None and self.alpha_with_judge is not None and self.alpha.why is None:
            yield "Krippendorff's alpha, interval", told(self.alpha), told(self.alpha_with_judge)

    def plain(self) -> dict[str, object]:
        """All of it for programs."""
        ceiling, alt = self.ceiling, self.alt
        alphas = {"people": self.alpha, "with_judge": self.alpha_with_judge}
        raters = {"people": self.raters, "with_judge": self.with_judge}
        return {
            "labels": self.labels,
            "agreement": {name: _plain_raters(found) for name, found in raters.items() if found is not None}
            | {name: {"alpha": plain(found)} for name, found in alphas.items() if found is not None},
            "ceiling": {"n": ceiling.units, "judge": plain(ceiling.judge), "people": plain(ceiling.people),
                        "gap": plain(ceiling.gap)},
            "alt_test": {
                "epsilon": alt.epsilon, "passed": alt.passed, "why": alt.why,
                "winning_rate": finite(alt.winning_rate), "advantage": finite(alt.advantage),
                "people": [
                    {"name": each.name, "n": each.items, "judge_wins": each.judge_wins,
                     "person_wins": each.person_wins, "p": each.p, "adjusted": each.adjusted, "beaten": each.beaten}
                    for each in alt.people
                ],
                "left_out": dict(alt.left_out),
            },
        }  # fmt: skip


def people_agreement(table: TaskTable, design: Design, epsilon: float) -> PeopleAgreement:
    """People of one task with each other and with its judges' word."""
    alt = alt_test(
        table.said, table.labels, table.people, epsilon=epsilon, clusters=table.clusters,
        distance="equal" if table.options else "points",
    )  # fmt: skip
    ceiling = human_ceiling(
        table.said, table.labels, _part(design, "ceiling"), likeness="equal" if table.options else "near"
    )
    labels = dict(zip(table.people, np.isfinite(table.labels).sum(0).tolist(), strict=True))
    joined = np.column_stack((table.labels, np.where(table.labelled, table.said, np.nan)))
    if not table.options:
        alphas = (
            krippendorff_alpha(each, "interval", _part(design, name))
            for name, each in (("people", table.labels), ("joined", joined))
        )
        alone, together = alphas
        return PeopleAgreement(labels=labels, ceiling=ceiling, alt=alt, points=True, alpha=alone,
                               alpha_with_judge=together)  # fmt: skip
    alone_of, joined_of = (
        rater_agreement(each, len(table.options), _part(design, name), level="ordinal" if table.ordered else "nominal")
        for name, each in (("people", table.labels), ("joined", joined))
    )
    return PeopleAgreement(labels=labels, ceiling=ceiling, alt=alt, points=False, raters=alone_of, with_judge=joined_of)


def _part(design: Design, name: str) -> Design:
    return design.part(np.ones(np.asarray(design.clusters).size, dtype=np.bool_), name)


def _plain_raters(found: RaterAgreement) -> dict[str, object]:
    figures = {"pairwise": found.pairwise, "fleiss_kappa": found.fleiss, "alpha": found.alpha, "ac1": found.ac1,
               "pabak": found.pabak}  # fmt: skip
    return {"n": found.units, "raters": found.raters, **{name: plain(each) for name, each in figures.items()}}
