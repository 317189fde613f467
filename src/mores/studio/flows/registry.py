"""The flows that are there: every folder beside this file that has a flow.py."""

from functools import cache
from importlib import import_module
from pathlib import Path

from mores.core.errors import UnknownName
from mores.studio.flows.flow import Flow


@cache
def flows() -> dict[str, Flow]:
    """All flows, by name."""
    names = sorted(path.parent.name for path in Path(__file__).parent.glob("*/flow.py"))
    found: dict[str, Flow] = {name: import_module(f"mores.studio.flows.{name}.flow").FLOW for name in names}
    return found


def flow_named(name: str) -> Flow:
    """The flow of this name.

    Raises:
        UnknownName: there is none.
    """
    if name not in flows():
        raise UnknownName("flow", name, flows())
    return flows()[name]
