"""mores measures how well a language model lives with other people's norms."""

__version__ = "0.1.0"
__all__ = ["__version__", "collect", "compare", "judge", "load", "merge", "resume", "run", "run_async"]


def __getattr__(name: str) -> object:
    """A name that a notebook calls, from `mores.api.notebook`, which is read when it is first asked for."""
    if name in __all__:
        # By name, as rooms below ask this file for the version, and late, as it takes longer than all else here.
        from importlib import import_module  # noqa: PLC0415

        return getattr(import_module("mores.api.notebook"), name)
    raise AttributeError(f"module 'mores' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
