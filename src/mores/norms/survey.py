"""What people of a place said of norms, as a pack keeps it: `agreement.jsonl` in its folder, a line a norm."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mores.core.codec import build, encode_lines, parse_lines, read_text
from mores.core.errors import InputError

FILE = "agreement.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class NormSurvey:
    """How many people were asked about one norm, and how many of them said what."""

    norm: str
    asked: int
    agree: int
    depends: int
    disagree: int
    dont_know: int

    @property
    def agreement(self) -> float:
        """Share of the asked people who agree."""
        return self.agree / self.asked


def read_survey(path: Path) -> dict[str, NormSurvey]:
    """What was said of norms, by their ids.

    Raises:
        InputError: the file cannot be read, a line is malformed or its numbers do not add up, or a norm stands twice.
    """
    found: dict[str, NormSurvey] = {}
    for number, row in parse_lines(read_text(path), where=str(path), expected="an object with a norm's answers"):
        where = f"{path}:{number}"
        asked = build(NormSurvey, row, where=where)
        said = (asked.agree, asked.depends, asked.disagree, asked.dont_know)
        if asked.asked < 1 or min(said) < 0 or sum(said) != asked.asked:
            raise InputError(
                f"{where}: {asked.norm}: {asked.asked} asked, answers {list(said)}; expected as many answers."
            )
        if found.setdefault(asked.norm, asked) is not asked:
            raise InputError(f"{where}: {asked.norm} stands twice; expected each norm once.")
    return found


def merged(files: Sequence[Mapping[str, NormSurvey]]) -> bytes:
    """The file of a pack: what later files say of a norm stands in for what earlier ones say."""
    every = {norm: asked for file in files for norm, asked in file.items()}
    return encode_lines(every[norm] for norm in sorted(every))
