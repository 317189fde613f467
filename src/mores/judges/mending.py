r"""Slips in a judge's JSON that cannot change its verdict, put right so that it can be read.

reply ─▶ marks, fence and a closing phrase taken off ─▶ the reason's own characters, commas and quotes put right

What decides, the verdict and what it is about, must be there to the letter: only the reason is text, so only in it are
raw new lines and bad escapes mended. Words beside the object are let pass after a closed fence alone, few, and of those
that take leave and nothing else; a judge that quotes its subject says so before the quotation or objects after it.
"""

import re

from mores.judges.rubric_answers import AnswerFormat

FEW_WORDS = 12
"""Words after the fence that are no more than a phrase."""
_STRING = r'"(?:[^"\\]|\\.)*"'
_ENDS = ("<|im_end|>", "<|eot_id|>", "<|eot|>", "<|end|>", "<|endoftext|>", "<|end_of_text|>", "<|eom_id|>",
         "<|return|>", "</s>", "<eos>", "<end_of_turn>", "[EOS]")  # fmt: skip
_BEGINS = ("<s>", "<|im_start|>assistant", "<|start_header_id|>assistant<|end_header_id|>", "<|assistant|>")
"""Marks of a template where a turn ends and where it begins."""
_FENCED = re.compile(
    r"\A(?P<fence>```|~~~)[ \t]*(?:json)?\s(?P<inside>.*?)(?P=fence)(?P<after>.*)\Z", re.DOTALL | re.IGNORECASE
)
_SLIP = re.compile(
    rf'(?P<reason>"reason"\s*:\s*)"(?P<told>(?:[^"\\]|\\.)*)"'
    r'|(?P<score>"score"\s*:\s*)"\s*(?P<number>0(?:\.[0-9]+)?|1(?:\.0+)?|\.[0-9]+)\s*"'
    rf"|(?P<other>{_STRING})|,(?P<closing>\s*[}}\]])",
    re.DOTALL,
)
_ESCAPE = re.compile(r'\\(?:(?P<good>u[0-9a-fA-F]{4}|["\\/bfnrt])|(?P<bad>.))|(?P<raw>[\x00-\x1f])', re.DOTALL)
_FAREWELL = frozenset({
    "a", "additional", "any", "anything", "assistance", "clarification", "details", "else", "feel", "for", "free",
    "further", "happy", "have", "help", "helpful", "helps", "hesitate", "hope", "i", "if", "know", "let", "like",
    "me", "more", "my", "need", "other", "please", "question", "questions", "thank", "thanks", "the", "there",
    "this", "to", "want", "will", "would", "you", "your",
})  # fmt: skip
"""Words that judge nothing: they thank or offer help. Any other word, in any language, may judge."""
_BETWEEN = re.compile(r"[\s.,!?*_]+")


def mend(text: str, answer: AnswerFormat) -> str:
    r"""A reply without its slips; one that has others is left as it is, for whoever reads it to refuse.

    >>> from mores.judges.rubric_answers import Score
    >>> mend('{"reason": "It doesn\\\'t say.", "score": "0.8",}<|im_end|>', Score())
    '{"reason": "It doesn\'t say.", "score": 0.8}'
    >>> mend('My grade is 0.2: {"reason": "So.", "score": 1}', Score())
    'My grade is 0.2: {"reason": "So.", "score": 1}'
    """
    inside = _inside(text, answer)
    return text if inside is None else _SLIP.sub(_mended, inside)


def _inside(text: str, answer: AnswerFormat) -> str | None:
    """What stands within marks and a fence; None where words beside it may be a verdict too."""
    inside = _unmarked(text)
    fenced = _FENCED.match(inside)
    if fenced is None:
        return inside
    return fenced["inside"].strip() if _is_farewell(fenced["after"], answer) else None


def _unmarked(text: str) -> str:
    """The words of a turn without its template's marks."""
    inside = text.strip()
    for mark in _BEGINS:
        inside = inside.removeprefix(mark).lstrip()
    while (mark := next(filter(inside.endswith, _ENDS), "")) != "":
        inside = inside.removesuffix(mark).rstrip()
    return inside


def _is_farewell(after: str, answer: AnswerFormat) -> bool:
    words = list(filter(None, _BETWEEN.split(after.casefold())))
    options = {option.casefold() for option in answer.options}
    return len(words) <= FEW_WORDS and (_FAREWELL - options).issuperset(words)


def _mended(slip: re.Match[str]) -> str:
    if slip["reason"] is not None:
        return f'{slip["reason"]}"{_ESCAPE.sub(_spelt, slip["told"])}"'
    if slip["score"] is not None:
        number = slip["number"]
        return f"{slip['score']}{number if number[0] != '.' else f'0{number}'}"
    return slip["other"] if slip["other"] is not None else slip["closing"]


def _spelt(escape: re.Match[str]) -> str:
    """A character of a reason as JSON spells it; of a bad escape the character alone."""
    if escape["good"] is not None:
        return escape[0]
    letter = escape["bad"] if escape["bad"] is not None else escape["raw"]
    return f"\\u{ord(letter):04x}" if letter < " " else letter
