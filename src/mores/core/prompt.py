"""A prompt is data under review: a file with a header, slots `[[name]]` and a hash.

Rendering is strict (no slot forgotten, none too many) and single-pass: a value is never read as template.
"""

import hashlib
import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from jinja2 import Environment, StrictUndefined, TemplateSyntaxError, nodes

from mores.core.codec import UNREADABLE, build, read_text
from mores.core.errors import InputError

PromptRole = Literal["subject", "antagonist", "supporter", "planner", "judge", "persona", "narrator", "writer"]

# Only `[[slot]]` is template: the marks of blocks and comments are set to characters that no prompt has.
_ENVIRONMENT = Environment(
    variable_start_string="[[",
    variable_end_string="]]",
    block_start_string="\ue000%",
    block_end_string="%\ue000",
    comment_start_string="\ue000#",
    comment_end_string="#\ue000",
    undefined=StrictUndefined,
    autoescape=False,  # noqa: S701 - prompts are plain text, not HTML
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptHeader:
    """What a prompt file says of itself."""

    name: str
    role: PromptRole
    language: str
    origin: str


@dataclass(frozen=True)
class Prompt:
    """One prompt file: its header and its text with slots."""

    header: PromptHeader
    body: str
    where: str = field(default="", compare=False)

    @classmethod
    def read(cls, path: Path) -> "Prompt":
        """The prompt of a file.

        Raises:
            InputError: no header, an unknown field in it, or a slot that is not a plain name.
        """
        parts = read_text(path).split("+++\n", 2)
        if len(parts) != 3 or parts[0].strip():
            raise InputError(f"{path}: no header; expected '+++', TOML, '+++' and the words.")
        try:
            header = tomllib.loads(parts[1])
        except UNREADABLE as error:
            raise InputError(f"{path}: header is not TOML ({error}).") from error
        prompt = cls(build(PromptHeader, header, where=str(path)), parts[2].strip("\n"), str(path))
        _ = prompt.slots
        return prompt

    @cached_property
    def sha(self) -> str:
        """First 12 hex digits of the SHA-256 of name and words: what a stored verdict points to."""
        return hashlib.sha256(f"{self.header.name}\n{self.body}".encode()).hexdigest()[:12]

    @cached_property
    def slots(self) -> frozenset[str]:
        """Names of the slots; a slot that is more than a name is refused."""
        return frozenset(self._parts[1::2])

    @cached_property
    def _parts(self) -> tuple[str, ...]:
        """Words and slots in turn, words first: what rendering puts together."""
        try:
            tree = _ENVIRONMENT.parse(self.body)
        except TemplateSyntaxError as error:
            raise InputError(f"{self.where}:{error.lineno}: {error.message}") from error
        parts = [""]
        for part in (part for output in tree.body for part in getattr(output, "nodes", [output])):
            if isinstance(part, nodes.TemplateData):
                parts[-1] += part.data
            elif isinstance(part, nodes.Name):
                parts += [part.name, ""]
            else:
                raise InputError(f"{self.where}:{part.lineno}: a slot holds a plain name, such as [[place]].")
        return tuple(parts)

    def render(self, **values: str) -> str:
        """The words with each slot filled once; values are put in as they are and never read.

        Raises:
            InputError: a slot without a value, or a value without a slot.
        """
        if values.keys() != self.slots:
            missing, extra = sorted(self.slots - values.keys()), sorted(values.keys() - self.slots)
            what = f"no value for {missing}" if missing else f"no slot for {extra}"
            raise InputError(f"Prompt {self.header.name}: {what}.")
        filled = list(self._parts)
        filled[1::2] = [values[name] for name in filled[1::2]]
        return "".join(filled)
