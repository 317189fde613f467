"""The section on the ladder: where each model breaks, in figures, claims and examples."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mores.core.estimate import Estimate
from mores.reports import wording
from mores.reports.findings import Findings
from mores.reports.ladder.drops import LEVEL, SIZE
from mores.reports.ladder.examples import Place, examples, rung_names, standing_of
from mores.reports.ladder.ladders import Ladder, ladder_of
from mores.reports.ladder.machine import plain_ladder
from mores.reports.ladder.rungs import climbs
from mores.stats.intervals import FEWEST


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladders:
    """All models that stood on at least two rungs."""

    id: ClassVar[str] = "ladder"
    title: ClassVar[str] = "The ladder"
    template: ClassVar[str] = "ladder.html.jinja"
    ladders: tuple[Ladder, ...]

    @property
    def simulated(self) -> bool:
        """True where any answers or judges were made up."""
        return any(ladder.simulated for ladder in self.ladders)

    @property
    def rungs(self) -> tuple[str, ...]:
        """Names of all rungs that were run."""
        return rung_names(self.ladders)

    @property
    def size(self) -> float:
        """A drop has to be larger than this for the ladder to break."""
        return SIZE

    @property
    def level(self) -> float:
        """The chance of any false break in one model's ladder, at most."""
        return LEVEL

    @property
    def fewest(self) -> int:
        """Norms, and clusters of them, that a claim takes."""
        return FEWEST

    @property
    def standing(self) -> str:
        """How far the norms were checked, and whether people were asked."""
        return standing_of(self.ladders)

    def places(self) -> tuple[Place, ...]:
        """Single norms, place by place."""
        return examples(self.ladders)

    def lines(self) -> Iterator[str]:
        """Of each model its figures, where it breaks, what that means, and the groups that break; last, the norms."""
        for ladder in self.ladders:
            made_up = " (simulated)" if ladder.simulated else ""
            scores = zip(ladder.rungs, ladder.whole.scores, strict=True)
            told = ", ".join(f"{rung.name} {_told(score)}" for rung, score in scores)
            yield f"{ladder.label}{made_up}, norms kept; 0% is guessing and 100% all of them: {told}."
            if ladder.told_judges:
                yield ladder.told_judges
            yield f"All norms: {ladder.told(ladder.whole)}"
            yield " ".join(ladder.meaning)
            yield ladder.told_groups
            yield from (f"{row.name}: {ladder.told(row)}" for row in (*ladder.broken, *ladder.suspect))
        yield self.standing

    def plain(self) -> dict[str, object]:
        """All figures, drops and norms."""
        return {
            "simulated": self.simulated,
            "standing": self.standing,
            "size": SIZE,
            "level": LEVEL,
            "fewest_norms": FEWEST,
            "ladders": [plain_ladder(ladder) for ladder in self.ladders],
        }


def ladder(findings: Findings) -> Ladders | None:
    """The ladders of some runs; None where no model stood on two rungs."""
    found: Sequence[Ladder] = [ladder_of(climb, findings.judges) for climb in climbs(findings)]
    return Ladders(ladders=tuple(found)) if found else None


def _told(figure: Estimate | None) -> str:
    if figure is None:
        return wording.DASH
    return f"{wording.number(figure.value)} {wording.interval(figure)}, n {wording.counted(figure)}"
