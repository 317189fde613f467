"""What the small model says: a label or a short sentence, within JSON the same between quotes, and in town a deed.

Who is asked for JSON answers by one token that is the whole of a deed, as nothing that this model says hangs together
over more than two tokens. A schema that has no deeds forbids it, and so it is of use in town alone.
"""

from itertools import pairwise

from benchmarks.servers.vocabulary import MARKS, spelled

END = MARKS[2]
SENTENCE = (" and", " I", " wait", " until", " the", " host", " begins", " to", " eat")
LABELS = ("yes", "no", "neutral", "True", "False", "A", "B", "C", "D", "Satisfy", "Violate", "Neutral")
BEGINNINGS = (*LABELS, "I")
CUE = " JSON"
DEED = (
    '{"deed": "do", "to": [], "action": "rest", "how": "I wait until the host begins to eat", '
    '"say": "Good day to you all.", "leave": true}'
)
WORDS = (*SENTENCE, *BEGINNINGS, CUE)
CHOICES = (*BEGINNINGS, spelled(SENTENCE[0]))
"""Tokens between which, or against the end, what was said before decides."""
LIKELY, SURE = 16.0, 22.0
"""Logits of what may come next, and of what no other choice keeps from coming."""
CUED = 12.0
"""Logit of a deed after the line on which an answer begins, and once more where the cue was read."""
ANYWHERE = {END: 9.0, '"': 8.0, "}": 4.0, "]": 4.0, ":": 4.0, ",": 4.0}


def follows() -> dict[str | None, dict[str, float]]:
    """For a token, the likely next ones; None for what is likely anywhere, above all to come to an end.

    A quote opens a text or closes one, and a brace comes sooner than a comma: where a grammar allows both, lists and
    objects end.
    """
    closing = {"}": 10.0, "]": 9.5, ":": 9.0, ",": 8.5}
    begun = dict.fromkeys(BEGINNINGS, LIKELY)
    said: dict[str | None, dict[str, float]] = {
        None: ANYWHERE,
        "Ċ": {**begun, spelled(DEED): CUED},
        '"': {**begun, "yes": SURE + 6, **closing},
    }
    opened = {'"': LIKELY, "1": 12.0, "0": 12.0, "{": 9.0, "[": 9.0, "t": 11.0, "f": 11.0, "n": 6.0}
    said |= {":": opened, "[": opened, ",": opened, "0": closing, "1": closing}
    said |= {end: {END: LIKELY, "}": 10.0, "]": 9.5, ",": 4.0} for end in ("}", "]")}
    unfinished = {'"': LIKELY - 2 - ANYWHERE['"']}
    ended = {END: LIKELY - ANYWHERE[END], **unfinished}
    said |= {label: {**ended, spelled(SENTENCE[0]): LIKELY - 1} for label in LABELS}
    said[spelled(SENTENCE[-1])] = ended
    said |= {spelled(word): {spelled(after): SURE, **unfinished} for word, after in pairwise(SENTENCE)}
    said["I"] = said[spelled(" I")]
    said |= {spelled(DEED): {END: SURE}, spelled(CUE): {}}
    return said
