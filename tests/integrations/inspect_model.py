"""Inspect's command line with the models `stand-in/…`, which say what `stand_in` says."""

from typing import Any

from inspect_ai._cli.main import main  # what `inspect` calls, and nothing public does
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi

from tests.integrations.stand_in import said


@modelapi(name="stand-in")
class StandIn(ModelAPI):
    """A model whose replies hang on the words alone."""

    async def generate(self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig) -> ModelOutput:  # noqa: A002
        """The reply to the last message."""
        found = ModelOutput.from_content("stand-in", said(input[-1].text) or "")
        found.usage = ModelUsage(input_tokens=10, output_tokens=1, total_tokens=11)
        return found


if __name__ == "__main__":
    main()
