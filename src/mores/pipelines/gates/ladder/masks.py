"""A gate on texts that hide their place: no name of it or of its people may be left in them."""

import re
from collections.abc import Iterator, Mapping

from mores.norms.pack import ApplyItem, Pack, PackNorm, parallel
from mores.norms.place_mask import HIDDEN, PlaceMask, named_in
from mores.norms.places import place
from mores.pipelines.gates.gate import Gate, GateItem, share_gate


def masked_texts(pack: Pack) -> Gate:
    """Gate on masks of norms and bundles that leave a name of the place or of its people."""
    name = "masked texts"
    says = "a masked text has a name of the place or of a person left, or there is no text to mask it by"
    whole: tuple[PackNorm | ApplyItem, ...] = (*pack.norms, *pack.bundles)
    if not any(each.masked for each in whole):
        return Gate(name=name, says=says, why="not applicable: no norm says how its place is masked")
    home = {entry.norm.id: entry.norm.place for entry in pack.norms}
    found = [(home[each.norm.id if isinstance(each, PackNorm) else each.norm[0].id], each) for each in whole]
    texts = [
        (
            GateItem(id=item, norm=item, place=at),
            not each.masked or _names_place(masked(words, each.masked, at), at, names),
        )
        for at, each in found
        for names in (_names(pack, at, each),)
        for item, words in masked_items(each)
    ]
    return share_gate(name, says, texts, most=0.0)


def masked_items(of: PackNorm | ApplyItem) -> Iterator[tuple[str, str]]:
    """The items of a norm, or a bundle's question, each with all of its words that a model is put."""
    if isinstance(of, ApplyItem):
        yield f"apply-{of.id}", of.question
        return
    norm = of.norm.id
    for item, known in parallel("know", norm, of.know):
        yield item, " ".join((known.question, *(option.text for option in known.options)))
    for item, scene in parallel("judge", norm, of.judge):
        yield item, f"{scene.story} {scene.question}"
    if of.explain is not None:
        yield f"explain-{norm}", f"{of.explain.story} {of.explain.question}"
    if of.converse is not None:
        talk = of.converse
        who = (each for each in (talk.other, talk.you, talk.third) if each is not None)
        people = (f"{each.name}: {each.who}" for each in who)
        yield f"converse-{norm}", " ".join((talk.scene, *people, talk.proposal, talk.goal))
    if of.live is not None:
        yield f"live-{norm}", of.live.task


def masked(words: str, by: Mapping[str, str], place_id: str) -> str:
    """Words of an item without their place, as the control of the ladder puts them."""
    return PlaceMask({place(place_id).name: HIDDEN, **by})(words)


def _names_place(words: str, place_id: str, names: re.Pattern[str]) -> bool:
    """True if a text names the place, its people or its language, or one of the names."""
    return named_in(words, place_id) is not None or names.search(words) is not None


def _names(pack: Pack, place_id: str, of: PackNorm | ApplyItem) -> re.Pattern[str]:
    """The first names that people have there, and those of the norm's talk, but for those that a mask puts itself."""
    known = pack.names.get(place_id)
    people = (*known.female, *known.male) if known is not None else ()
    talk = of.converse if isinstance(of, PackNorm) else None
    spoken = () if talk is None else (each.name for each in (talk.other, talk.you, talk.third) if each is not None)
    put = {word for words in of.masked.values() for word in words.split()}
    every = sorted({*people, *spoken} - put, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, every))})(?!\w)" if every else r"(?!)")
