"""A model whose replies hang on the words alone, for programs that run in environments of their own.

It imports nothing of ours, so that any environment can use it. Where the variable STAND_IN names a file of JSON, it has
the replies by the words asked.
"""

import json
import os
from functools import cache
from hashlib import sha256

ANSWERS = (
    "True", "False.", "yes", "**No**", "neutral", "The answer is true", "No, as guests come on time.",
    "Yes. Shoes come off.", "I'm sorry, I can't say.", "It depends.", "", "no, no", None,
)  # fmt: skip
"""Replies of a subject: right, wrong, loose, unreadable, declined, empty and, as None, none at all."""
OPINIONS = tuple(
    f'{{"reason":"Because.","{kind}":{value}}}'
    for kind, value in (("score", 0.7), ("score", 0.2), ("choice", '"yes"'), ("choice", '"no"'), ("score", 2))
)
"""Replies of a judge: each fits some rubrics and is a fault for others."""


def said(words: str) -> str | None:
    """The reply to words; None where the call fails."""
    if "STAND_IN" in os.environ:
        return _replies(os.environ["STAND_IN"])[words]
    number = int(sha256(words.encode()).hexdigest(), 16)
    kind = next((kind for kind in ("score", "choice") if f'"{kind}"' in words), "")
    if not kind:
        return ANSWERS[number % len(ANSWERS)]
    fitting = [each for each in OPINIONS if f'"{kind}"' in each]
    return (fitting if number % 7 else OPINIONS)[number // 7 % len(fitting)]


@cache
def _replies(file: str) -> dict[str, str]:
    with open(file, encoding="utf-8") as text:  # noqa: PTH123 - any Python of any environment reads it so
        replies: dict[str, str] = json.load(text)
    return replies
