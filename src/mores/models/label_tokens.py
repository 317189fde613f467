"""Questions with labels in tokens: messages in the words of a model's chat template, and each label behind them."""

from itertools import takewhile
from typing import Any, NamedTuple

from msgspec import Struct

from mores.core.transcript import Message
from mores.models.checkpoint import first_line
from mores.models.label_logprobs import NO_LOGPROBS
from mores.models.request import CallFailed, TextPair

TokenRow = tuple[int, ...]


class LabelPrompt(NamedTuple):
    """The messages, whose last is the beginning of the answer, and the labels to weigh behind it.

    `pair` is the response and the norm that an encoder reads in place of the messages.
    """

    messages: tuple[Message, ...]
    labels: tuple[str, ...]
    pair: TextPair | None = None


class TokenizedLabels(Struct, frozen=True):
    """A question in tokens: the whole row of each label, and the place where all labels begin to be weighed."""

    rows: tuple[TokenRow, ...]
    start: int
    merged: bool

    @property
    def inputs(self) -> tuple[TokenRow, ...]:
        """Rows to put through the model: a row without its last token, unless a longer one begins with it."""
        wanted: list[TokenRow] = []
        for row in sorted({row[:-1] for row in self.rows}, key=len, reverse=True):
            if not any(longer[: len(row)] == row for longer in wanted):
                wanted.append(row)
        return tuple(wanted)

    @property
    def places(self) -> set[int]:
        """Places after which the next token is weighed."""
        return {place for row in self.rows for place in range(self.start - 1, len(row) - 1)}


class LabelTokenizer:
    """A tokeniser that cuts questions; `longest` is the most tokens that its model takes, None for no limit."""

    def __init__(self, tokenizer: Any, longest: int | None) -> None:
        self._tokenizer, self._longest = tokenizer, longest

    def cut(self, question: LabelPrompt) -> TokenizedLabels:
        """The tokens of a question.

        Text and label are cut as one text, and what lies beyond the tokens that the text alone shares with all of
        them is weighed. Where a tokeniser merges the seam for one label, the text's last tokens are weighed for each.
        """
        text, special = self._rendered(question.messages)
        alone = self._tokens(text, special=special)
        rows = tuple(self._tokens(text + label, special=special) for label in question.labels)
        start = min(_shared(alone, row) for row in rows)
        longest = max(len(row) for row in rows)
        if start == 0 or any(len(row) <= start for row in rows):
            raise CallFailed(NO_LOGPROBS, "nothing stands before a label, or a label has no token")
        if self._longest is not None and longest > self._longest:
            raise CallFailed("too long", f"{longest} tokens; the verifier takes {self._longest}")
        return TokenizedLabels(rows, start, merged=start < len(alone))

    def _rendered(self, messages: tuple[Message, ...]) -> tuple[str, bool]:
        """The messages as the model's chat template has them, else as plain paragraphs; and whether to frame these."""
        if not self._tokenizer.chat_template:
            return "\n\n".join(message.content for message in messages), True
        from jinja2 import TemplateError  # noqa: PLC0415 - whoever has a template has loaded it

        plain = [{"role": message.role, "content": message.content} for message in messages]
        try:
            text = self._tokenizer.apply_chat_template(plain, tokenize=False, continue_final_message=True)
        except (ValueError, TemplateError) as error:
            raise CallFailed("no chat template fits", first_line(error)) from error
        return str(text), False

    def _tokens(self, text: str, *, special: bool) -> TokenRow:
        row = tuple(self._tokenizer(text, add_special_tokens=special)["input_ids"])
        return row[:-1] if special and row and row[-1] == self._tokenizer.eos_token_id else row


def _shared(one: TokenRow, other: TokenRow) -> int:
    """Length of the longest beginning that two rows share."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
