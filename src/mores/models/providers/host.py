"""Models that another program asks, which hosts a benchmark (`mores.hosted`): they have a name here and no client."""

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.provider import Provider
from mores.models.registry import Connection


def _refuse(spec: str, seed: Seed, connection: Connection) -> None:  # noqa: ARG001 - as all providers are opened
    raise InputError(
        f"{spec}: only the program that hosts a benchmark asks it (docs/python.md); expected a model that mores can "
        "ask, such as openai/gpt-4o."
    )


PROVIDERS = (
    Provider(
        name="host",
        open=_refuse,
        examples={"host/NAME": "asked by the program that hosts a benchmark, such as Inspect; mores run cannot"},
    ),
)
