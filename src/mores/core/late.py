"""What is imported only when it is needed: a run's first call waits for nothing that comes after its last."""

from importlib import import_module
from typing import Any

from msgspec import Struct


class LazyFunction(Struct, frozen=True):
    """A thing by the module that has it, which is imported when the thing is first wanted; equal where it is one.

    Functions can be called as they are.

    >>> Late("math", "sqrt")(9)
    3.0
    """

    module: str
    name: str

    def __call__(self, *given: Any) -> Any:
        """What the function gives."""
        return self.load()(*given)

    def load(self) -> Any:
        """The thing itself."""
        return getattr(import_module(self.module), self.name)
