"""Where a unit is worked on: who is asked about it, by which prompts, and which attempt it is."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from mores.core.prompt import Prompt
from mores.models.cast import Asker
from mores.models.request import AnswerKey, Tag
from mores.pipelines.asking import Question, Told, Untold, ask
from mores.pipelines.outcomes import Unit
from mores.pipelines.roles import sampling_of

T = TypeVar("T")
U = TypeVar("U", bound=Unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Room(Generic[U]):
    """Where one unit is worked on.

    Attributes:
        unit: What something is made of.
        told: What prompts may say of the unit, by slot.
        voice: Who is asked.
        prompt: The pipeline's prompt of a name.
        attempt: How many attempts there were before.
    """

    unit: U
    told: Mapping[str, str]
    voice: Asker
    prompt: Callable[[str], Prompt]
    attempt: int = 0

    async def put(  # noqa: PLR0913, PLR0917 - what is asked, of whom, and what it must be like
        self,
        name: str,
        role: str,
        shape: type[T],
        values: Mapping[str, str],
        wrong: Callable[[T], str],
        planted: Mapping[str, object],
        part: str = "",
    ) -> Told[T] | Untold:
        """The answer of a role to one prompt; `planted` is what a simulated model says."""
        words, prompt = {**self.told, **values}, self.prompt(name)
        item = f"{self.unit.id}/{name}{f'/{part}' if part else ''}"
        question = Question(
            prompt=prompt,
            values={slot: words[slot] for slot in prompt.slots},
            shape=shape,
            tag=Tag(item=item, role=role, sample=self.attempt),
            key=AnswerKey(unit=item, truth="said", ways={"said": json.dumps(planted)}, place=self.unit.place),
            check=wrong,
        )
        return await ask(self.voice, question, sampling_of(role))
