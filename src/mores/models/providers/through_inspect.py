"""Models asked through Inspect AI, whose own providers stand behind `inspect/`."""

from mores.core.seeds import Seed
from mores.models.inspected import Inspected, check_installed
from mores.models.provider import Provider
from mores.models.specs import Connection
from mores.models.thinking import LEVELS, N, efforts

_EFFORTS = {**efforts(off="none"), **LEVELS}


def _open(spec: str, seed: Seed, connection: Connection) -> Inspected:
    tags, wait = connection.think_tags, connection.timeout
    return Inspected(spec, access=connection, window=connection.window, timeout=wait, seed=seed, think_tags=tags)


_INSPECT = Provider(
    name="inspect",
    open=_open,
    examples={
        "inspect/PROVIDER/MODEL": "asks through Inspect AI, where there is no compatible endpoint: mores[inspect]"
    },
    check=check_installed,
    elsewhere=True,
    thinking=_EFFORTS,
)


def _with_budget(name: str, *, counts_budget: bool = False, priced_as: str = "") -> Provider:
    """A provider of Inspect's that takes a number of tokens for thinking."""
    return Provider(
        name=f"inspect/{name}",
        open=_open,
        check=check_installed,
        elsewhere=True,
        thinking={**_EFFORTS, N: {"reasoning_tokens": N}},
        counts_budget=counts_budget,
        priced_as=priced_as,
    )


PROVIDERS = (
    _INSPECT,
    _with_budget("anthropic", counts_budget=True),
    _with_budget("bedrock", counts_budget=True, priced_as="aws"),
    _with_budget("google"),
    _with_budget("grok", priced_as="x-ai"),
    _with_budget("openrouter", counts_budget=True),
    Provider(
        name="inspect/azureai",
        open=_open,
        check=check_installed,
        elsewhere=True,
        thinking=_EFFORTS,
        priced_as="azure",
    ),
)
