"""Gates on cues beside the words of scenes: who proposes or acts, how a talk is worded, what somebody wishes.

And on neutral scenes in which an animal or a thing stands where people should.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from mores.core.codec import read_toml
from mores.core.seeds import Seed
from mores.norms.items import ConverseItem
from mores.norms.pack import ApplyItem, Pack, PackNorm, parallel
from mores.pipelines.gates.data_checks import PERMUTATIONS, label_skew
from mores.pipelines.gates.gate import Gate, GateItem, codes_of, interval_of, item_of, share_gate
from mores.pipelines.gates.pack_labels import LEVEL, labelled_auc
from mores.pipelines.gates.pack_texts import masked, stems
from mores.stats.rng import generator

AUC = 0.60
"""The best AUC that passes where proposals are told apart by their wording."""


def cue_gates(pack: Pack, seed: Seed) -> Iterator[Gate]:
    """Gates on labels that who acts, who proposes, how it is put or what somebody wishes gives away."""
    yield from _talks(pack, seed.child("talks"))
    yield from _origins(pack, seed.child("origins"))
    yield _wishes(pack, seed.child("wishes"))
    yield _neutral_people(pack.norms)


def _talk_items(pack: Pack) -> list[tuple[GateItem, ConverseItem, PackNorm]]:
    """The talks of a pack, labelled by whether their proposal breaks a norm."""
    return [
        (replace(item_of(entry, f"converse-{entry.norm.id}"), label="harmless" if talk.harmless else "breaking"), talk,
         entry)
        for entry in pack.norms if (talk := entry.converse) is not None
    ]  # fmt: skip


def _talks(pack: Pack, seed: Seed) -> Iterator[Gate]:
    """Gates on proposals whose masked words, alone or with all that is heard, tell whether they break a norm."""
    talks = _talk_items(pack)
    for name, whole, words in (("proposal", False, "the proposal"), ("all words", True, "all that a subject hears")):
        items = [replace(item, stem=_words(talk, entry, whole=whole)) for item, talk, entry in talks]
        for kind in ("norm", "place"):
            says = (
                f"how often a baseline on {words}, masked, tested on {kind}s it has not seen, ranks a harmless "
                "proposal above a breaking one (AUC)"
            )
            gate = Gate(name=f"converse by {name}, {kind}s", says=says, threshold={"share_above": AUC})
            yield labelled_auc(gate, items, "harmless", kind, seed.child(name, kind))


def _words(talk: ConverseItem, entry: PackNorm, *, whole: bool) -> str:
    people = (f"{each.name}: {each.who}" for each in (talk.other, talk.you, talk.third) if each is not None)
    words = (talk.scene, *people, talk.goal, talk.proposal) if whole else (talk.proposal,)
    return masked("\n".join(words), entry.masked, entry.norm.place)


def _origins(pack: Pack, seed: Seed) -> Iterator[Gate]:
    """Gates on labels whose shares differ by whether who acts or proposes is of the place."""
    talks = [(item, talk.other.local) for item, talk, _ in _talk_items(pack)]
    explained = [
        (replace(item_of(entry, f"explain-{entry.norm.id}"), label=scene.label), scene.local)
        for entry in pack.norms
        if (scene := entry.explain) is not None
    ]
    judged = [
        (replace(item_of(entry, name), label=scene.label), scene.local)
        for entry in pack.norms
        for name, scene in parallel("judge", entry.norm.id, entry.judge)
        if not scene.boundary
    ]
    for name, who, found in (
        ("converse", "proposes", talks),
        ("explain", "acts", explained),
        ("judge", "acts", judged),
    ):
        says = f"the shares of labels differ by whether who {who} is of the place"
        items, origins = [item for item, _ in found], ["here" if local else "elsewhere" for _, local in found]
        if len(set(origins)) < 2:
            why = f"not applicable: nobody who {who} is from elsewhere" if items else "not applicable: no items"
            yield Gate(name=f"{name} by origin", says=says, n=len(items), why=why)
        else:
            yield label_skew(f"{name} by origin", says, items, origins, seed.child(name), level=LEVEL)


@cache
def _cue_words(kind: str) -> re.Pattern[str]:
    words = read_toml(Path(__file__).parent / "cues.toml")[kind]
    return re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, words), key=len, reverse=True))})s?\b", re.IGNORECASE)


def _wishes(pack: Pack, seed: Seed) -> Gate:
    """Gate on wishes in open questions that have more words of breaking advice than of keeping one, or fewer.

    Signs are flipped over whole bundles, as one wish may lean at several norms.
    """
    name, says = (
        "apply, wishes",
        "wishes in a question share words with the advice that breaks a norm, or that keeps it",
    )
    found = [
        (GateItem(id=f"apply-{bundle.id}", norm=bundle.id, place=norm.id.partition("-")[0]), lean)
        for bundle in pack.bundles
        for norm, lean in zip(bundle.norm, _leanings(bundle), strict=True)
        if lean
    ]
    if len(found) < 2:
        return Gate(name=name, says=says, n=len(found), why="not applicable: no wish leans")
    items, leans = [item for item, _ in found], np.sign([lean for _, lean in found])
    held = codes_of([item.norm for item in items])
    flips = generator(seed).choice((-1, 1), size=(PERMUTATIONS, int(held.max()) + 1))[:, held]
    sums = np.abs((flips * leans).sum(axis=1))
    p = float((1 + np.sum(sums >= abs(leans.sum()))) / (1 + PERMUTATIONS))
    breaking = (leans > 0).astype(float)
    passed = p >= LEVEL
    leaning = [item.id for item, lean in zip(items, leans, strict=True) if lean == np.sign(leans.sum())]
    return Gate(
        name=name, says=says, value=float(breaking.mean()), interval=interval_of(breaking.tolist(), items, name),
        chance=0.5, p=p, n=len(items), threshold={"p_below": LEVEL}, passed=passed,
        items=() if passed else tuple(dict.fromkeys(leaning)),
    )  # fmt: skip


def _leanings(bundle: ApplyItem) -> Iterator[int]:
    """Of each norm, how many words wishes share with its breaking advice alone, less those with its keeping one."""
    sentences = re.split(r"(?<=[.!?;])\s+", bundle.question)
    wished = stems(" ".join(each for each in sentences if _cue_words("wishes").search(each)))
    for norm in bundle.norm:
        keeping, breaking = stems(norm.satisfied), stems(norm.violated)
        yield len(wished & breaking - keeping) - len(wished & keeping - breaking)


def _neutral_people(entries: Sequence[PackNorm]) -> Gate:
    """Gate on neutral scenes with an animal or a thing that no other scene of their norm has, nor its statement."""
    found: list[tuple[GateItem, bool]] = []
    words: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        scenes = list(parallel("judge", entry.norm.id, entry.judge))
        about = " ".join((entry.norm.statement, *(scene.story for _, scene in scenes if scene.label != "neutral")))
        for name, scene in (each for each in scenes if each[1].label == "neutral"):
            strange = _named_things(scene.story) - _named_things(about)
            found.append((item_of(entry, name), bool(strange)))
            words[name] = tuple(sorted(strange))
    says, none = (
        "a neutral scene has an animal or a thing where its norm has people",
        "not applicable: no scene is neutral",
    )
    gate = share_gate("neutral scenes with people", says, found, most=0.0, none=none)
    return replace(gate, words={name: words[name] for name in gate.items})


def _named_things(text: str) -> frozenset[str]:
    return frozenset(found.casefold().removesuffix("s") for found in _cue_words("not_people").findall(text))
