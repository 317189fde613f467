"""The same questions in other wordings, orders and controls: how many there are, and a benchmark in one of them.

Beside prompts lies a file `wordings.toml`: under the name of a prompt's file its second, third … wording, and under
`labels` its first wording with the labels named in another order. A benchmark that puts options in an order of its own
(`orders`) has those orders instead.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Benchmark, HasOptionOrder
from mores.benchmarks.catalogue import meant
from mores.benchmarks.controls import controls_of
from mores.core.card import Control, Variant
from mores.core.codec import build, read_toml
from mores.core.errors import InputError
from mores.core.prompt import Prompt, Wording

FILE, LABELS, ENDING = "wordings.toml", "labels", ".prompt.md"


def wordings_of(benchmark: Benchmark) -> int:
    """Number of wordings that a benchmark has, the first among them."""
    return 1 + max((len(_others(prompt)) for prompt in benchmark.prompts), default=0)


def orders_of(benchmark: Benchmark) -> int:
    """Number of orders of its options, or else of its labels, that a benchmark has, the published one included."""
    if isinstance(benchmark, HasOptionOrder) and benchmark.orders > 1:
        return benchmark.orders
    return 1 + max((len(_others(prompt, LABELS)) for prompt in benchmark.prompts), default=0)


def variants_of(name: str, wordings: int, orders: int, controls: Sequence[Control] = ()) -> tuple[Variant, ...]:
    """The first, then further wordings in the first order, further orders in the first wording, and controls.

    A benchmark that has fewer than are asked for gives those that it has.
    """
    benchmark = catalogue.load(name)
    in_words = range(2, min(wordings, wordings_of(benchmark)) + 1)
    in_order = range(2, min(orders, orders_of(benchmark)) + 1)
    offered = [control for control in controls_of(benchmark) if control in controls]
    return (
        Variant(),
        *(Variant(wording=k) for k in in_words),
        *(Variant(order=k) for k in in_order),
        *(Variant(control=control) for control in offered),
    )


def in_variant(name: str, variant: Variant, words: Mapping[str, Wording]) -> Benchmark:
    """A benchmark in one of its wordings and orders, and in words of a run's own for other prompts.

    Raises:
        InputError: the run has words of its own for a prompt of which another wording is asked.
        UnknownName: there is no such benchmark or prompt.
    """
    known = catalogue.prompts(name)
    other = {key: wording for key, prompt in known.items() if (wording := _in(prompt, variant)) is not None}
    twice = [key for key in words if meant(key, known) in other]
    if twice:
        raise InputError(f"--prompt {twice[0]}: words of your own have no other wordings; leave out --prompt-variants.")
    return catalogue.load(name, {**words, **other})


def _in(prompt: Prompt, variant: Variant) -> Wording | None:
    for texts, number, what in (
        (_others(prompt), variant.wording, "wording"),
        (_others(prompt, LABELS), variant.order, "order of labels"),
    ):
        if 1 < number <= len(texts) + 1:
            return Wording(text=texts[number - 2], file=f"{what} {number} of {Path(prompt.where).name}")
    return None


def _others(prompt: Prompt, kind: str = "") -> tuple[str, ...]:
    """The texts of a prompt beside its first, of its wordings or of its labels' orders."""
    path = Path(prompt.where).with_name(FILE)
    if not prompt.where or not path.is_file():
        return ()
    return _read(path).get(kind, {}).get(Path(prompt.where).name.removesuffix(ENDING), ())


@cache
def _read(path: Path) -> dict[str, dict[str, tuple[str, ...]]]:
    table = read_toml(path)
    labels = table.pop(LABELS, {})
    return {
        "": build(dict[str, tuple[str, ...]], table, where=str(path)),
        LABELS: build(dict[str, tuple[str, ...]], labels, where=f"{path}: {LABELS}"),
    }
