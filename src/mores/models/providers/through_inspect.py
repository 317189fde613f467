"""Models asked through Inspect AI, whose own providers stand behind `inspect/`."""

from functools import partial

from mores.core.seeds import Seed
from mores.models.inspect_model import InspectModel, check_installed
from mores.models.provider import Provider
from mores.models.registry import Connection
from mores.models.thinking import LEVELS, N, efforts

_EFFORTS = {**efforts(off="none"), **LEVELS}


def _open(spec: str, seed: Seed, connection: Connection) -> InspectModel:
    tags, wait = connection.think_tags, connection.timeout
    return InspectModel(spec, access=connection, window=connection.window, timeout=wait, seed=seed, think_tags=tags)


_inspect = partial(Provider, open=_open, check=check_installed, elsewhere=True)
_with_budget = partial(_inspect, thinking={**_EFFORTS, N: {"reasoning_tokens": N}})
"""A provider of Inspect's that takes a number of tokens for thinking."""

PROVIDERS = (
    _inspect(
        name="inspect",
        examples={
            "inspect/PROVIDER/MODEL": "asks through Inspect AI, where there is no compatible endpoint: mores[inspect]"
        },
        thinking=_EFFORTS,
    ),
    _inspect(name="inspect/azureai", thinking=_EFFORTS, priced_as="azure"),
    _with_budget(name="inspect/anthropic", counts_budget=True),
    _with_budget(name="inspect/bedrock", counts_budget=True, priced_as="aws"),
    _with_budget(name="inspect/google"),
    _with_budget(name="inspect/grok", priced_as="x-ai"),
    _with_budget(name="inspect/openrouter", counts_budget=True),
)
