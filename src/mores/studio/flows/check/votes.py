"""How answers to one question become gold: an option that enough people chose.

"I don't know" and "cannot be answered" choose no option and stay among the answers, so that four of five are four of
all who answered.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LETTERS = ("a", "b", "c", "d")
DONT_KNOW, UNANSWERABLE = "dont_know", "unanswerable"
MOSTLY_UNKNOWN = "mostly_unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The votes of one question: for each option, and for neither."""

    answers: int
    votes: Mapping[str, int]
    dont_know: int
    unanswerable: int

    def gold(self, needed: int) -> tuple[str, ...]:
        """The options that at least so many people chose."""
        return tuple(letter for letter in LETTERS if self.votes[letter] >= needed)

    def reason(self, needed: int) -> str:
        """Why a question without gold is dropped; `mostly_unknown` may go to a finer group of people."""
        if 2 * self.dont_know > self.answers:
            return MOSTLY_UNKNOWN
        return "mostly_unanswerable" if 2 * self.unanswerable > self.answers else f"no_option_has_{needed}"


def tally(answers: Sequence[frozenset[str]]) -> Tally:
    """The votes of one question."""
    return Tally(
        answers=len(answers),
        votes={letter: sum(letter in chosen for chosen in answers) for letter in LETTERS},
        dont_know=sum(DONT_KNOW in chosen for chosen in answers),
        unanswerable=sum(UNANSWERABLE in chosen for chosen in answers),
    )
