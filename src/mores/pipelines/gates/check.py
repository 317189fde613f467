"""All gates over some questions: what each found, whether it lets them pass, and which items carry what it found."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mores.core.seeds import Seed
from mores.pipelines.duplicates import Text, shared_run, twins
from mores.pipelines.gates.items import Item
from mores.pipelines.gates.readers import MOST, Reader, at, guessing, learnt, longest, reasoned, right_share, shortest
from mores.pipelines.questions.draft import SHARED
from mores.stats.intervals import Interval, mean_interval
from mores.stats.multiplicity import holm
from mores.stats.rng import generator
from mores.stats.sign_flips import sign_flip

LEVEL = 0.01
"""Level of a gate, after Holm's correction over the readers."""
NAMED = 20
"""Items that a gate names at most, in all outputs but `--json`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One gate: what it measured beside what chance gives, its test, and the items that carry it.

    `passed` is None where it could not be asked, and `why` says so.
    """

    name: str
    says: str
    value: float | None = None
    interval: Interval | None = None
    chance: float | None = None
    p: float | None = None
    n: int = 0
    passed: bool | None = None
    why: str = ""
    items: tuple[str, ...] = ()


def check_items(items: Sequence[Item], public: Sequence[Text], seed: Seed) -> tuple[Gate, ...]:
    """All gates over some questions.

    Args:
        items: The questions.
        public: Texts of public benchmarks that none may repeat.
        seed: Dice of folds, deals and draws.
    """
    chosen = [item for item in items if item.options and 0 < len(item.right) < len(item.options)]
    return (
        *_corrected(list(_readers(chosen, seed))),
        _contained(items),
        _repeated(items, public),
        *_skews(items, seed),
    )


def _readers(items: Sequence[Item], seed: Seed) -> Iterator[Gate]:
    width = max((len(item.options) for item in items), default=0)
    simple: list[tuple[str, str, Reader]] = [
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


def _simple(name: str, says: str, reader: Reader, items: Sequence[Item]) -> Gate:
    asked = [item for item in items if len(set(reader(item))) > 1]
    if not asked:
        return Gate(name=name, says=says, why="it likes all options of every question alike")
    right = np.array([right_share(item, reader(item)) for item in asked])
    chance = np.array([guessing(item) for item in asked])
    norms = [item.norm for item in asked]
    _, cluster = np.unique(norms, return_inverse=True)
    test = sign_flip(np.bincount(cluster, right - chance).astype(np.float64))
    return Gate(
        name=name, says=says, value=float(right.mean()), chance=float(chance.mean()), n=len(asked), p=test.p,
        interval=mean_interval(right, cluster, binary=bool(np.isin(right, (0, 1)).all()), seed=Seed(f"gates/{name}")),
        items=tuple(item.id for item, each in zip(asked, right, strict=True) if each == 1),
    )  # fmt: skip


def _learning(name: str, items: Sequence[Item], unseen: Callable[[Item], str], seed: Seed) -> Gate:
    gate, says = (
        f"wording alone, by {name}",
        f"learns from the wording of options and is tested on {name}s it has not seen",
    )
    if len({unseen(item) for item in items}) < 3:
        return Gate(name=gate, says=says, why=f"fewer than three {name}s")
    right, null = learnt(items, unseen, seed)
    _, cluster = np.unique([item.norm for item in items], return_inverse=True)
    return Gate(
        name=gate, says=says, value=float(right.mean()), chance=float(null.mean()), n=len(items),
        p=float((1 + np.sum(null >= right.mean() - 1e-12)) / (1 + null.size)),
        interval=mean_interval(right, cluster, binary=bool(np.isin(right, (0, 1)).all()), seed=seed),
        items=tuple(item.id for item, each in zip(items, right, strict=True) if each == 1),
    )  # fmt: skip


def _some(items: Sequence[Item], seed: Seed) -> list[Item]:
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


def _contained(items: Sequence[Item]) -> Gate:
    """Whether a question tells the norm that it asks about."""
    carried = [item.id for item in items if any(shared_run(item.stem, norm, SHARED) for norm in item.norms)]
    asked = sum(bool(item.norms) for item in items)
    says = f"a question has {SHARED} words in a row of a norm that it rests on"
    if not asked:
        return Gate(name="norm in the question", says=says, why="no norms are known")
    return Gate(name="norm in the question", says=says, value=len(carried) / asked, n=asked, passed=not carried,
                items=tuple(carried))  # fmt: skip


def _repeated(items: Sequence[Item], public: Sequence[Text]) -> Gate:
    """Whether questions repeat each other, or a public benchmark."""
    texts = [Text(name=item.id, words=f"{item.stem} {' '.join(item.options)}") for item in items]
    found = twins(texts, against=public)
    stems = twins(
        [Text(name=item.id, words=item.stem) for item in items if len(item.stem.split()) > SHARED], against=public
    )
    carried = sorted({*found, *(name for name, twin in stems.items() if any(twin.of == text.name for text in public))})
    return Gate(name="repeated", says="a question says what another says, or a public benchmark",
                value=len(carried) / len(texts) if texts else None, n=len(texts), passed=not carried,
                items=tuple(carried))  # fmt: skip


def _skews(items: Sequence[Item], seed: Seed) -> Iterator[Gate]:
    """Whether labels hang on place or topic, so that these alone tell the answer."""
    asked = [item for item in items if item.label]
    for kind in ("place", "topic"):
        groups = [getattr(item, kind) for item in asked]
        says = f"labels are shared out unlike over {kind}s"
        if len(set(groups)) < 2 or len({item.label for item in asked}) < 2:
            yield Gate(name=f"labels by {kind}", says=says, why=f"fewer than two labels or {kind}s")
            continue
        labels = np.unique([item.label for item in asked], return_inverse=True)[1]
        codes = np.unique(groups, return_inverse=True)[1]
        rng = generator(seed.child("skew", kind))
        seen = _unlike(labels, codes)
        null = np.array([_unlike(rng.permutation(labels), codes) for _ in range(1_000)])
        p = float((1 + np.sum(null >= seen - 1e-9)) / 1_001)
        best = sum(max(Counter(labels[codes == code].tolist()).values()) for code in np.unique(codes)) / len(asked)
        most = max(Counter(labels.tolist()).values()) / len(asked)
        yield Gate(name=f"labels by {kind}", says=says, value=best, chance=most, n=len(asked), p=p, passed=p >= LEVEL)


def _unlike(labels: npt.NDArray[np.int64], codes: npt.NDArray[np.int64]) -> float:
    """Pearson's chi-squared of labels over groups."""
    table = np.zeros((labels.max() + 1, codes.max() + 1))
    np.add.at(table, (labels, codes), 1)
    wanted = table.sum(1, keepdims=True) * table.sum(0, keepdims=True) / table.sum()
    return float(((table - wanted) ** 2 / wanted).sum())
