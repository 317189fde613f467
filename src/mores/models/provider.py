"""Providers of models: what mores knows of each kind that stands before the slash of KIND/NAME.

A provider is one value in one file: its name, how its models are opened, and, where they are asked over the wire, its
address, key, and the forms of its calls and answers. Ours stand in `models/providers`; packages of others join through
the entry point group `mores.models`, whose entries point to a `Provider`. Nothing else lists providers.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct, field

from mores.core.errors import UnknownName
from mores.core.installed import entry_points
from mores.core.seeds import Seed
from mores.models.address import checked_address, without_port
from mores.models.credentials import Home

GROUP = "mores.models"
Fields: TypeAlias = dict[str, object]
Body: TypeAlias = dict[str, Any]
"""The body of a call or of an answer, as JSON has it."""


class ProviderFormat(Struct, frozen=True, kw_only=True):
    """Format of a provider's calls and answers, where that is not OpenAI's chat completions.

    `path` stands behind the address. The key goes into `key_header`, after `key_prefix`; `headers` go along with each
    call. `write` makes a provider's body of one of chat completions, and `read` the body of a chat completion of its
    answer; None leaves it as it is.
    """

    path: str = "chat/completions"
    key_header: str = "Authorization"
    key_prefix: str = "Bearer "
    headers: Mapping[str, str] = field(default_factory=dict)
    write: Callable[[Body], Body] | None = None
    read: Callable[[Body], Body] | None = None


CHAT_COMPLETIONS = ProviderFormat()


class Provider(Struct, frozen=True, kw_only=True):
    """One kind of model.

    `open` gives a model by its spec, a seed, and how it is reached (`specs.Connection`). `examples` are what can be
    typed, each with a line on it. `check` refuses a spec before anything else is looked at.

    Of models that are asked elsewhere: `home` is their address and the variable of their key (None where another
    program knows them), `form` the layout of calls, `thinking` what each word of --thinking is in the provider's own
    fields (`N` stands for a number of tokens, `least_budget` is the least that it takes, and `counts_budget` is true
    where it counts against the limit of a call), `neutral` the settings that turn off a server's own sampling,
    `priced_as` its name in the table of prices, `price` what a model's tokens cost in US dollars for a million in and
    out, where the provider says so itself, and `batches` the layout of its batches.

    `real` is false of models whose answers no model made, and `simulated` true where they come from planted competence.
    `labels` says of a judge's spec whether it gives probabilities of labels rather than words.
    """

    name: str
    open: Callable[[str, Seed, Any], Any]
    examples: Mapping[str, str] = field(default_factory=dict)
    check: Callable[[str], None] | None = None
    elsewhere: bool = False
    home: Home | None = None
    form: ProviderFormat = CHAT_COMPLETIONS
    thinking: Mapping[str, Fields] = field(default_factory=dict)
    least_budget: int = 0
    counts_budget: bool = False
    neutral: Mapping[str, float] = field(default_factory=dict)
    priced_as: str = ""
    price: Callable[[str], tuple[float, float] | None] | None = None
    batches: str | None = None
    real: bool = True
    simulated: bool = False
    labels: Callable[[str], bool] = lambda _: False

    def address(self, base_url: str | None) -> str:
        """Address of its models, without a slash at the end.

        Raises:
            InputError: the address holds what no address should.
        """
        return checked_address((base_url or (self.home.base_url if self.home else "")).rstrip("/"))

    def identity(self, base_url: str | None) -> str:
        """Part that decides replies beside the model's name: the address, without its port.

        Raises:
            InputError: as for `address`.
        """
        if self.home is None:
            program = self.name.partition("/")[0]
            return f"{program} {checked_address(base_url)}" if base_url else program
        return without_port(self.address(base_url)).rstrip("/")

    @property
    def key_variable(self) -> str:
        """The variable of its key; that of addresses of one's own where it has none."""
        return (self.home.key_variable if self.home else None) or "MORES_API_KEY"


def home_of(provider: Provider) -> Home:
    """The address and the key's variable of a provider whose models are asked from here.

    Raises:
        ValueError: it says none.
    """
    if provider.home is None:
        raise ValueError(
            f"The provider {provider.name!r} has no `home`; expected one, as calls to it are sent from here."
        )
    return provider.home


def providers() -> Mapping[str, Provider]:
    """All providers by name, ours first; not those that stand behind another program's."""
    return {name: each for name, each in (_ours() | _of_others()).items() if "/" not in name}


def find_provider(spec: str) -> Provider | None:
    """The provider of a model's spec, None where it is not installed; of a program that has providers, that program's.

    What others offer is read only where ours have no such name.
    """
    name, _, rest = spec.partition("/")
    return _ours().get(f"{name}/{rest.partition('/')[0]}") or _ours().get(name) or _of_others().get(name)


def provider_of(spec: str) -> Provider:
    """The provider of a model's spec.

    Raises:
        UnknownName: there is none of that name.
    """
    found = find_provider(spec)
    if found is None:
        raise UnknownName("kind of model", spec.partition("/")[0], providers(), todo="List them: mores list models.")
    return found


@cache
def _ours() -> dict[str, Provider]:
    """Those of the files beside, in the order of their names within a file."""
    files = sorted(path.stem for path in (Path(__file__).parent / "providers").glob("[a-z]*.py"))
    found = (each for file in files for each in import_module(f"mores.models.providers.{file}").PROVIDERS)
    return {each.name: each for each in found}


@cache
def _of_others() -> dict[str, Provider]:
    return {each.name: each for each in (load() for load in entry_points(GROUP).values())}
