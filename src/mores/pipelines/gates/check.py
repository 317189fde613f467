"""All gates over some questions: what each found, whether it lets them pass, and which items carry what it found."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from mores.core.seeds import Seed
from mores.norms.pack import Pack
from mores.pipelines.duplicates import NamedText
from mores.pipelines.gates.gate import LEVEL, Gate, GateInput, GateItem, codes_of, interval_of
from mores.pipelines.gates.ladder.answers import answer_gates
from mores.pipelines.gates.ladder.courtesy import courtesy_gates
from mores.pipelines.gates.ladder.days import consistent_days
from mores.pipelines.gates.ladder.labels import NO_READER, label_gates
from mores.pipelines.gates.ladder.masks import masked_texts
from mores.pipelines.gates.ladder.spread import spread_gates
from mores.pipelines.gates.layouts import items_of
from mores.pipelines.gates.repeats import PublicTexts, contained, near_public, repeated
from mores.pipelines.gates.shortcut_baselines import (
    MOST,
    ShortcutBaseline,
    at,
    guessing,
    learnt,
    longest,
    reasoned,
    right_share,
    shortest,
    unlike,
)
from mores.pipelines.gates.skews import skews
from mores.stats.ranks import holm, sign_flip
from mores.stats.rng import generator


def check_items(items: Sequence[GateItem], public: PublicTexts, seed: Seed) -> tuple[Gate, ...]:
    """All gates over some questions.

    Args:
        items: The questions.
        public: Texts of public benchmarks that none may repeat, and how near is too near.
        seed: Dice of folds, deals and draws.
    """
    chosen = [item for item in items if item.options and 0 < len(item.right) < len(item.options)]
    return (
        *_corrected(list(_readers(chosen, seed))),
        contained(items),
        repeated(items, public),
        near_public(items, public),
        *skews(items, seed),
    )


def check(checked: GateInput, public: PublicTexts, seed: Seed) -> tuple[Gate, ...]:
    """All gates over a data set, and those of the ladder over a pack."""
    gates, pack = check_items(checked.items, public, seed), checked.pack
    if pack is not None:
        gates = (*gates, *check_pack(pack, checked.items, seed.child("ladder")))
    unlike.cache_clear()
    return gates


def check_release(data: Path, public: Sequence[NamedText], seed: Seed) -> tuple[Gate, ...]:
    """All gates over what a build released, as `mores build check` finds them with the same seed and tables."""
    return check(items_of(str(data)), PublicTexts(texts=tuple(public)), seed)


def _readers(items: Sequence[GateItem], seed: Seed) -> Iterator[Gate]:
    if not items:
        yield Gate(name="options", says="readers of options alone", why="no options to choose from")
        return
    width = max(len(item.options) for item in items)
    simple: list[tuple[str, str, ShortcutBaseline]] = [
        ("longest option", "takes the longest option", longest),
        ("shortest option", "takes the shortest option", shortest),
        ("words of reason", "takes the option with most words of reason", reasoned),
        *(
            (f"option {number + 1}", f"takes option {number + 1} of each question", at(number))
            for number in range(width)
        ),
    ]
    for name, says, reader in simple:
        yield _simple(name, says, reader, items)
    kept = _some(items, seed)
    for name, unseen in (("norm", lambda item: item.norm), ("place", lambda item: item.place)):
        yield _learning(name, kept, unseen, seed.child(name))


def _simple(name: str, says: str, reader: ShortcutBaseline, items: Sequence[GateItem]) -> Gate:
    asked = [item for item in items if len(set(reader(item))) > 1]
    if not asked:
        return Gate(name=name, says=says, why="it likes all options alike")
    right = np.array([right_share(item, reader(item)) for item in asked])
    chance = np.array([guessing(item) for item in asked])
    test = sign_flip(np.bincount(codes_of([item.norm for item in asked]), right - chance).astype(np.float64))
    return Gate(
        name=name, says=says, value=float(right.mean()), chance=float(chance.mean()), n=len(asked), p=test.p,
        interval=interval_of(right.tolist(), asked, name), threshold={"p_below": LEVEL},
        items=tuple(item.id for item, each in zip(asked, right, strict=True) if each == 1),
    )  # fmt: skip


def _learning(name: str, items: Sequence[GateItem], unseen: Callable[[GateItem], str], seed: Seed) -> Gate:
    gate, says = (
        f"wording alone, by {name}",
        f"learns from the wording of options and is tested on {name}s it has not seen",
    )
    if len({unseen(item) for item in items}) < 3:
        return Gate(name=gate, says=says, why=f"fewer than three {name}s")
    if find_spec("sklearn") is None:
        return Gate(name=gate, says=says, why=NO_READER)
    right, null = learnt(items, unseen, seed)
    return Gate(
        name=gate, says=says, value=float(right.mean()), chance=float(null.mean()), n=len(items),
        p=float((1 + np.sum(null >= right.mean() - 1e-12)) / (1 + null.size)),
        interval=interval_of(right.tolist(), items, gate), threshold={"p_below": LEVEL},
        items=tuple(item.id for item, each in zip(items, right, strict=True) if each == 1),
    )  # fmt: skip


def _some(items: Sequence[GateItem], seed: Seed) -> list[GateItem]:
    """As many questions as the learning reader can take, drawn where there are more."""
    order = generator(seed.child("some")).permutation(len(items))
    kept, options = [], 0
    for number in order.tolist():
        options += len(items[number].options)
        if options > MOST:
            break
        kept.append(number)
    return [items[number] for number in sorted(kept)]


def _corrected(gates: list[Gate]) -> list[Gate]:
    """Readers pass unless they are better than chance after correction; items are named where they are."""
    p = holm([np.nan if gate.p is None else gate.p for gate in gates])
    found = []
    for gate, each in zip(gates, p.tolist(), strict=True):
        if gate.p is None or gate.value is None or gate.chance is None:
            found.append(gate)
            continue
        failed = each < LEVEL and gate.value > gate.chance
        found.append(replace(gate, p=each, passed=not failed, items=gate.items if failed else ()))
    return found


def check_pack(pack: Pack, items: Sequence[GateItem], seed: Seed) -> tuple[Gate, ...]:
    """All gates of the ladder over a pack; one that asks for what the pack does not have says so and has not passed.

    Args:
        pack: The norms.
        items: Their items on all rungs, as `items_of` gives them.
        seed: Dice of folds and deals.
    """
    return (
        *label_gates(pack, items, seed.child("labels")),
        *answer_gates(pack),
        *courtesy_gates(pack),
        consistent_days(pack),
        masked_texts(pack),
        *spread_gates(pack),
    )
