"""mores measures how well a language model lives with other people's norms."""

__version__ = "0.1.0"
__all__ = ["__version__", "collect", "compare", "judge", "load", "merge", "resume", "run", "run_async"]


def __getattr__(name: str) -> object:
    """What a notebook calls comes from `mores.api`, which is read when it is first asked for."""
    if name in __all__:
        from importlib import import_module  # noqa: PLC0415 - it takes longer than the rest of this file

        return getattr(import_module("mores.api"), name)  # by name, as rooms below ask this file for the version
    raise AttributeError(f"module 'mores' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
