"""Gates on prompts as they are sent: names that a mask leaves or puts, and words that do not fit together."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec.structs import replace

from mores.norms.pack import ApplyItem, Pack, PackNorm
from mores.norms.places import named
from mores.norms.remove_place import local_name_in, people_names
from mores.pipelines.gates.gate import Gate, GateItem, item_of, share_gate
from mores.pipelines.gates.sent_prompts import SentPrompt, SentPrompts

_CLAUSE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|may|must|can|should|would|will|says?|follows?|serves?|skips?"
    r"|decides?|makes?|takes?|gives?|expects?|finds?|bury|buries|calls?|uses?|comes?|goes)\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"\b(?:who|that|which|whose|whom|where|when)\b", re.IGNORECASE)
_NO_NOUN = re.compile(
    r"(?:in|among|at|on|of|for|by|with|if|when|where|only|the rest|some|many|most|it|they)\b", re.IGNORECASE
)
LONGEST = 16
"""Words of a subgroup at most; it stands in brackets after the place."""


def is_noun_phrase(words: str) -> bool:
    """True if a subgroup is a noun phrase: no sentence, and no clause but one that follows its noun.

    >>> is_noun_phrase("families that speak Zulu"), is_noun_phrase("Among the Bedouin men alone serve it.")
    (True, False)
    """
    head = _RELATIVE.split(words, maxsplit=1)[0]
    long = len(words.split()) > LONGEST
    return not (re.search(r"[.;:?!()]", words) or _NO_NOUN.match(words) or _CLAUSE.search(head) or long)


def subgroup_gate(pack: Pack) -> Gate:
    """Gate on subgroups that are no name of a part of the people: a subject reads them in brackets after the place."""
    groups = {entry.norm.id: (item_of(entry), entry.norm.subgroup) for entry in pack.norms if entry.norm.subgroup}
    found = [(item, not is_noun_phrase(words)) for item, words in groups.values()]
    none = "not applicable: no norm has a subgroup"
    gate = share_gate("subgroup as a noun phrase", "a subgroup is no noun phrase", found, most=0.0, none=none)
    return replace(gate, words={name: (groups[name][1],) for name in gate.items})


_ARTICLE = r"(?:a|an|the)"
_NONSENSE = (
    re.compile(rf"\b{_ARTICLE} (?:a|an|the|this|these|those|my|your|his|its|our|their)\b", re.IGNORECASE),
    re.compile(r"\b([^\W\d_]+) \1\b(?!['’])", re.IGNORECASE),
    re.compile(r"\b([^\W\d_]{4,}?)(?:s|es)? \1(?:s|es)?\b", re.IGNORECASE),
    re.compile(r"\b[Aa] (?!one\b|once|uni|use|usu|uti|eu|ewe)[aeiouAEIOU][a-z]+"),
    re.compile(r"\b[Aa]n (?!hour|honest|honou?r|heir)[b-df-hj-np-tv-zB-DF-HJ-NP-TV-Z][a-z]+"),
    re.compile(
        r"\b(?:speaks?|speaking|spoke|spoken|in|into|learns?|reads?) local"
        r"(?=[.,;:?!)'\"’”]|$| (?:and|or|is|are|at|with|to|on)\b)"
    ),
    re.compile(r"\b(?:local|the country|the town) (?:local|the country|the town|country)\b"),
    re.compile(r"\b(?:some|every) (?:a|an|the) \w+", re.IGNORECASE),
)
_MAY_DOUBLE = {
    "had", "that", "no", "so", "very", "bye", "sorry", "well", "now", "there", "dear", "hush", "knock", "yes", "please",
    "ha", "ho", "da", "na", "sh",
}  # fmt: skip
_LINES_KEPT = 2**15
"""Lines of prompts that are looked at once: what a prompt says around an item is the same in thousands of them."""
_ORDINAL = (
    r"(?:\d{1,2}(?:st|nd|rd|th)?|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth"
    r"|\w+teenth|twentieth|thirtieth|(?:twenty|thirty)-\w+)"
)
_FALSE_DATE = re.compile(
    rf"\b{_ORDINAL} of (?:early |late |mid)?(?:spring|summer|autumn|winter)\b"
    r"|\b(?:\d{1,2} (?:spring|summer|autumn|winter)|(?:spring|summer|autumn|winter) \d{1,2})\b",
    re.IGNORECASE,
)


def nonsense_in(text: str) -> str | None:
    """The first words of a text that do not fit together in a line of it; None where there are none.

    >>> nonsense_in("On the the seventh day"), nonsense_in("an uncle of a uniform kind")
    ('the the', None)
    """
    return next(filter(None, map(_nonsense_in_line, text.splitlines())), None)


@lru_cache(maxsize=_LINES_KEPT)
def _nonsense_in_line(line: str) -> str | None:
    for pattern in _NONSENSE:
        for found in pattern.finditer(line):
            if not (pattern.groups and found[1].casefold() in _MAY_DOUBLE):
                return found.group()
    return None


def prompt_gates(pack: Pack, sent: SentPrompts) -> Iterator[Gate]:
    """Gates on the prompts of a pack as they are sent."""
    yield subgroup_gate(pack)
    none = "not applicable: no norm says how its place is masked"
    owners: Mapping[str, PackNorm | ApplyItem] = {
        **{entry.norm.id: entry for entry in pack.norms}, **{bundle.id: bundle for bundle in pack.bundles}
    }  # fmt: skip
    whole = any(each.masked for each in owners.values())
    masked = [each for each in sent.prompts if each.control == "masked"] if whole else []
    people = {each.owner: _people(pack, each.item.place, owners[each.owner]) for each in masked}
    yield _left_out(masked, sent.unmasked if whole else {}, none)
    yield _texts(
        "masked prompts, names",
        "a masked prompt names the place, its people, a part, language, town or coin of it, or somebody there",
        masked, lambda each: local_name_in(each.text, each.item.place) or _first(people[each.owner], each.text), none,
    )  # fmt: skip
    yield _real_peoples(owners, none)
    yield _texts("masked prompts, sense", "words of a masked prompt do not fit together", masked,
                 lambda each: nonsense_in(each.text), none)  # fmt: skip
    yield _texts("masked prompts, dates", "a mask turns a date false, as the first of July into that of summer", masked,
                 lambda each: _first(_FALSE_DATE, each.text), none)  # fmt: skip
    plain = [each for each in sent.prompts if each.control != "masked"]
    yield _texts("other prompts, sense", "words of a prompt, plain, swapped or told, do not fit together", plain,
                 lambda each: nonsense_in(each.text), "not applicable: no items")  # fmt: skip


def _texts(
    name: str, says: str, prompts: Sequence[SentPrompt], fault: Callable[[SentPrompt], str | None], none: str
) -> Gate:
    """A gate on prompts with a fault, which names each item with the words of its first one."""
    items: dict[str, GateItem] = {}
    faults: dict[str, str] = {}
    for each in prompts:
        items.setdefault(each.item.id, each.item)
        words = None if each.item.id in faults else fault(each)
        if words is not None:
            faults[each.item.id] = words
    found = share_gate(name, says, [(item, name in faults) for name, item in items.items()], most=0.0, none=none)
    return replace(found, words={name: (faults[name],) for name in found.items})


def _left_out(masked: Sequence[SentPrompt], unmasked: Mapping[GateItem, str], none: str) -> Gate:
    """Gate on items that the control `masked` leaves out, with the reason."""
    found = [(item, True) for item in unmasked] + [(each.item, False) for each in masked]
    gate = share_gate("masked prompts, all", "an item cannot be asked masked", found, most=0.0, none=none)
    why = {item.id: (words,) for item, words in unmasked.items()}
    return replace(gate, words={name: why[name] for name in gate.items})


def _real_peoples(owners: Mapping[str, PackNorm | ApplyItem], none: str) -> Gate:
    """Gate on masks that name another place or people in the stead of the norm's."""
    says = "a mask puts the name of another place or people"
    faults = {name: tuple(filter(None, map(_people_in, owner.masked.values()))) for name, owner in owners.items()}
    items = [(GateItem(id=name, norm=name, place=""), bool(faults[name])) for name, own in owners.items() if own.masked]
    found = share_gate("masks, other peoples", says, items, most=0.0, none=none)
    return replace(found, words={name: tuple(dict.fromkeys(faults[name])) for name in found.items})


def _people_in(words: str) -> str | None:
    """A name of a place or people that a mask puts; a first name that is one too, as a word of its own, is none."""
    found = people_names().search(words)
    if found is not None:
        return found.group()
    proper = re.findall(r"\b[A-Z][\w'-]+(?: [A-Z][\w'-]+)*", words)
    return next((name for name in proper if named(name) and name != words), None)


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return None if found is None else found.group()


def _people(pack: Pack, place_id: str, of: PackNorm | ApplyItem) -> re.Pattern[str]:
    """The first names that people have there, and those of the norm's talk, but for those that a mask puts itself."""
    known = pack.names.get(place_id)
    people = (*known.female, *known.male) if known is not None else ()
    talk = of.converse if isinstance(of, PackNorm) else None
    spoken = () if talk is None else (each.name for each in (talk.other, talk.you, talk.third) if each is not None)
    put = {word for words in of.masked.values() for word in words.split()}
    every = sorted({*people, *spoken} - put, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, every))})(?!\w)" if every else r"(?!)")
