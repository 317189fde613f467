"""A gate on texts that hide their place: no name of it or of its people may be left in them."""

import re
import unicodedata
from collections.abc import Iterator, Mapping

from mores.norms.pack import Bundle, Pack, PackNorm, parallel
from mores.norms.places import names_of
from mores.pipelines.gates.gate import Gate, share_gate
from mores.pipelines.gates.items import Item

_SHORT = 3


def masked_texts(pack: Pack) -> Gate:
    """Whether what hides the place in a norm's items, or in a bundle's question, leaves a name of it."""
    name = "masked texts"
    says = "a masked text has a name of the place or of a person left, or there is no text to mask it by"
    whole: tuple[PackNorm | Bundle, ...] = (*pack.norms, *pack.bundles)
    if not any(each.masked for each in whole):
        return Gate(name=name, says=says, why="not applicable: no norm says how its place is masked")
    place = {entry.norm.id: entry.norm.place for entry in pack.norms}
    found = [(place[each.norm.id if isinstance(each, PackNorm) else each.norm[0].id], each) for each in whole]
    texts = [
        (Item(id=item, norm=item, place=at, stem=""), not each.masked or told_by(masked(words, each.masked), names))
        for at, each in found
        for names in (_names(pack, at, each),)
        for item, words in masked_items(each)
    ]
    items, left = zip(*texts, strict=True)
    return share_gate(name, says, items, left, most=0.0)


def masked_items(of: PackNorm | Bundle) -> Iterator[tuple[str, str]]:
    """The items of a norm, or a bundle's question, each with all of its words that a model is put."""
    if isinstance(of, Bundle):
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


def masked(words: str, by: Mapping[str, str]) -> str:
    """Words in which whole words and phrases are replaced, the longest first, each once.

    >>> masked("A Korean firm in Korea", {"Korea": "the country", "Korean firm": "local firm"})
    'A local firm in the country'
    """
    if not by:
        return words
    longest = sorted(by, key=lambda key: (-len(key), key))
    found = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)")
    return found.sub(lambda match: by[match[0]], words)


def told_by(words: str, names: re.Pattern[str]) -> bool:
    """Whether words have one of the names, written as a name is."""
    return any(
        found[0].isupper() if len(found[0]) <= _SHORT else found[0][0].isupper()
        for found in names.finditer(_bare(words))
    )


def _names(pack: Pack, place: str, of: PackNorm | Bundle) -> re.Pattern[str]:
    """What a place and its people are called, and the first names that people have there and in the norm's talk."""
    known = pack.names.get(place)
    people = (*known.female, *known.male) if known is not None else ()
    talk = of.converse if isinstance(of, PackNorm) else None
    spoken = () if talk is None else (each.name for each in (talk.other, talk.you, talk.third) if each is not None)
    every = sorted({_bare(name) for name in (*names_of(place), *people, *spoken)}, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, every))})s?(?!\w)", re.IGNORECASE)


def _bare(words: str) -> str:
    """Words without accents."""
    return "".join(sign for sign in unicodedata.normalize("NFKD", words) if not unicodedata.combining(sign))
