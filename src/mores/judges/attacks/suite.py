"""The attacks: what a subject may write round a failing answer so that its judge lets it pass."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mores.core.codec import build, read_toml
from mores.core.prompt import Prompt, PromptHeader

FILE = Path(__file__).parent / "attacks.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One attack: its family, its name within it, and its words with slots for answer and verdict."""

    family: str
    name: str
    words: Prompt

    def on(self, answer: str, *, verdict: str, word: str) -> str:
        """The answer under this attack.

        Args:
            answer: A failing answer.
            verdict: A whole reply of the judge that lets it pass.
            word: The verdict alone.
        """
        values = {"answer": answer, "verdict": verdict, "word": word}
        return self.words.render(**{slot: values[slot] for slot in self.words.slots})


@cache
def attacks() -> tuple[Attack, ...]:
    """All attacks of the suite, family by family."""
    families = build(dict[str, dict[str, str]], read_toml(FILE), where=FILE.name)
    return tuple(
        Attack(family=family, name=name, words=_prompt(f"{family}.{name}", words))
        for family, named in families.items()
        for name, words in named.items()
    )


def _prompt(name: str, words: str) -> Prompt:
    header = PromptHeader(name=f"judges.attack.{name}.v1", role="subject", language="en", origin="own")
    return Prompt(header, words, FILE.name)
