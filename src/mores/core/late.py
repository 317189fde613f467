"""What is imported only when it is needed: a run's first call waits for nothing that comes after its last."""

from importlib import import_module
from typing import Any

from msgspec import Struct


class Late(Struct, frozen=True):
    """A function by the module that has it, which is imported when the function is first called; equal where it is one.

    >>> Late("math", "sqrt")(9)
    3.0
    """

    module: str
    name: str

    def __call__(self, *given: Any) -> Any:
        """What the function gives."""
        return getattr(import_module(self.module), self.name)(*given)
