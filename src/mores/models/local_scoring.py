"""Models in memory that score labels: causal language models, and encoders with a class for each label.

requests → messages in the words of a chat template, each label behind them → token rows → padded batches →
log-probabilities. Rows are padded at their end, so that in a causal model no padding is seen by any token that is
scored, whatever the model makes of masks. A label is scored by all its tokens, with no correction for its length.

Of an encoder, pairs (response, norm) of like length go through the model together, so that little is spent on padding.
On a CPU each thread takes batches of its own, as threads that share each product wait for each other at its end (a
quarter slower on two quiet cores, several times where one is busy). Where the head reads its first token alone, the
last layer is carried out for that token only: keys and values are of all tokens, so the figures are those of the whole
layer, and of six layers an eighth of the work is left out.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from inspect import signature
from itertools import takewhile
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from msgspec import Struct

from mores.core.transcript import Message
from mores.models.checkpoint import ADAPTER, DIGITS, batched, first_line, library, load_weights
from mores.models.label_logprobs import NO_LOGPROBS
from mores.models.request import CallFailed, TextPair
from mores.models.verifier_facts import VerifierFacts

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
        # An end of text between prompt and label would say that nothing follows.
        return row[:-1] if special and row and row[-1] == self._tokenizer.eos_token_id else row


def _shared(one: TokenRow, other: TokenRow) -> int:
    """Length of the longest beginning that two rows share."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


BATCH_TOKENS = 16_384
BATCH_LOGITS = 1 << 27
"""Largest number of logits kept of one batch: half a gigabyte in single precision."""


class LabelLoglikelihoods(NamedTuple):
    """The labels' log-probabilities, the tokens before and in them, and whether a seam between the two merged."""

    sums: tuple[float, ...]
    before: int
    within: int
    merged: bool


class LocalLabelScorer:
    """A model and its tokeniser, on the accelerator where there is one."""

    def __init__(self, folder: Path, spec: str) -> None:
        """Load them.

        Raises:
            InputError: a library is missing, or the files cannot be used.
        """
        self._weights = load_weights(folder, spec, "causal")
        self._torch, tokenizer, self._model, self.device = self._weights
        config = self._model.config.get_text_config()
        self._cutter = LabelTokenizer(tokenizer, getattr(config, "max_position_embeddings", None))
        self._vocabulary = int(config.vocab_size)
        inner = self._model.get_base_model() if hasattr(self._model, "get_base_model") else self._model
        self._keeps = "logits_to_keep" in signature(inner.forward).parameters

    def weigh(self, questions: Sequence[LabelPrompt]) -> list[LabelLoglikelihoods | CallFailed]:
        """Results of the questions, in their order: their labels' log-probabilities, or the failure of each."""
        found: dict[int, LabelLoglikelihoods | CallFailed] = {}
        cuts: dict[int, TokenizedLabels] = {}
        for number, question in enumerate(questions):
            try:
                cuts[number] = self._cutter.cut(question)
            except CallFailed as failure:
                found[number] = failure
        longest = {number: max(map(len, cut.rows)) for number, cut in cuts.items()}
        for batch in batched(longest, lambda numbers: self._fits([cuts[each] for each in numbers])):
            found |= zip(batch, self._weights.halved(self._passed, [cuts[number] for number in batch]), strict=True)
        return [found[number] for number in range(len(questions))]

    def _fits(self, cuts: Sequence[TokenizedLabels]) -> bool:
        rows = [row for cut in cuts for row in cut.inputs]
        places = len(set().union(*(cut.places for cut in cuts)))
        tokens = len(rows) * max(map(len, rows))
        return tokens <= BATCH_TOKENS and len(rows) * places * self._vocabulary <= BATCH_LOGITS

    def _passed(self, cuts: Sequence[TokenizedLabels]) -> list[LabelLoglikelihoods]:
        """One forward pass."""
        inputs = [(cut, row) for cut in cuts for row in cut.inputs]
        places = sorted(set().union(*(cut.places for cut in cuts)))
        logits = self._logits([row for _, row in inputs], places)
        column = {place: number for number, place in enumerate(places)}
        found = []
        for cut in cuts:
            mine = [(number, row) for number, (owner, row) in enumerate(inputs) if owner is cut]
            of = [next(n for n, row in mine if row[: len(label) - 1] == label[:-1]) for label in cut.rows]
            sums = [self._sum(logits, label, n, cut.start, column) for label, n in zip(cut.rows, of, strict=True)]
            within = sum(len(row) - cut.start for row in cut.rows)
            found.append(LabelLoglikelihoods(tuple(sums), cut.start, within, cut.merged))
        return found

    def _logits(self, rows: Sequence[TokenRow], places: Sequence[int]) -> Any:
        """Logits of each row after each of the places, of shape (rows, places, vocabulary)."""
        torch, longest = self._torch, max(map(len, rows))
        ids = torch.zeros((len(rows), longest), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = torch.tensor(row)
            mask[number, : len(row)] = 1
        kept = torch.tensor(places, device=self.device)
        options = {"logits_to_keep": kept} if self._keeps else {}
        with torch.inference_mode():
            whole = self._model(
                input_ids=ids.to(self.device), attention_mask=mask.to(self.device), use_cache=False, **options
            ).logits
        return whole if self._keeps else whole[:, kept]

    def _sum(self, logits: Any, label: TokenRow, number: int, start: int, column: dict[int, int]) -> float:
        columns = [column[place] for place in range(start - 1, len(label) - 1)]
        with self._torch.inference_mode():
            logprobs = logits[number, columns].float().log_softmax(-1)
            picked = logprobs[range(len(columns)), list(label[start:])]
        return round(float(picked.double().sum()), DIGITS)


def check_libraries(folder: Path, spec: str) -> None:
    """Return where all that loading a folder takes is installed.

    Raises:
        InputError: something is not.
    """
    for name in ("torch", "transformers", *(("peft",) if (folder / ADAPTER).is_file() else ())):
        library(name, spec)


ALIKE = 1e-4
"""Distance of logits from those of the whole layer that is allowed, in single precision."""


def read_first_token(torch: Any, model: Any) -> bool:
    """True where a model's last layer is carried out for its first token from now on, False where it is left as it is.

    A model of another build than BERT's, or whose head reads more than the first token, is left as it is.
    """
    try:
        last = _last_layer(model)
    except AttributeError:
        return False
    plain = _trial(torch, model)
    last.forward = partial(_of_first, torch, last)
    try:
        alike = bool((plain - _trial(torch, model)).abs().max() < ALIKE)
    except Exception:  # noqa: BLE001 - a layer of another build raises what it likes
        alike = False
    if not alike:
        del last.forward
    return alike


def _last_layer(model: Any) -> Any:
    whole = model.get_base_model() if hasattr(model, "get_base_model") else model
    return whole.base_model.encoder.layer[-1]


def _trial(torch: Any, model: Any) -> Any:
    """Logits of two made-up rows, the second shorter than the first."""
    ids = torch.arange(4, 20, device=model.device).view(2, 8)
    mask = torch.ones_like(ids)
    mask[1, 5:] = 0
    with torch.inference_mode():
        return model(input_ids=ids, attention_mask=mask).logits.float()


def _of_first(torch: Any, layer: Any, hidden: Any, mask: Any = None, *_: object, **__: object) -> Any:
    """Output of a layer for the first token of each row, of shape (rows, 1, size)."""
    own, first = layer.attention.self, hidden[:, :1]
    query, key, value = (
        part.view(len(hidden), -1, own.num_attention_heads, own.attention_head_size).transpose(1, 2)
        for part in (own.query(first), own.key(hidden), own.value(hidden))
    )
    seen = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask=None if mask is None else mask[:, :, :1]
    )
    attended = layer.attention.output(seen.transpose(1, 2).flatten(2), first)
    return layer.output(layer.intermediate(attended), attended)


CLASSIFIER_TOKENS = {"cpu": 1_024, "cuda": 65_536}
"""Tokens of a batch, padding included: on a CPU more do not go faster, and what is padded costs."""
EncodedRow = dict[str, list[int]]
_ON_CPU = Lock()
"""Held by who has all threads of the CPU: how many there are is said for the whole process."""


class PairClassifier:
    """An encoder with a class for each label, and its tokeniser."""

    def __init__(self, folder: Path, spec: str, trained: VerifierFacts) -> None:
        """Load them.

        Raises:
            InputError: a library is missing, or the files cannot be used.
        """
        self._weights = load_weights(folder, spec, "encoder")
        self._labels, self._most = trained.labels, trained.max_tokens
        self.device = self._weights.device
        if self.device == "cpu":
            read_first_token(self._weights.torch, self._weights.model)

    def weigh(self, questions: Sequence[LabelPrompt]) -> list[LabelLoglikelihoods | CallFailed]:
        """Results of the questions, in their order: their labels' log-probabilities, or the failure of each."""
        found: dict[int, LabelLoglikelihoods | CallFailed] = {}
        pairs: dict[int, TextPair] = {}
        for number, question in enumerate(questions):
            try:
                pairs[number] = self._pair(question)
            except CallFailed as failure:
                found[number] = failure
        rows: dict[int, EncodedRow] = {}
        for number, row in zip(pairs, self._rows(list(pairs.values())), strict=True):
            length = len(row["input_ids"])
            if length > self._most:
                found[number] = CallFailed("too long", f"{length} tokens; the verifier takes {self._most}")
            else:
                rows[number] = row
        lengths, room = {number: len(row["input_ids"]) for number, row in rows.items()}, CLASSIFIER_TOKENS[self.device]
        batches = list(batched(lengths, lambda numbers: lengths[numbers[-1]] * len(numbers) <= room))
        batches.reverse()  # the longest first, so that all threads end at about one time
        for batch, weighed in zip(
            batches, self._all([[rows[each] for each in batch] for batch in batches]), strict=True
        ):
            found |= zip(batch, weighed, strict=True)
        return [found[number] for number in range(len(questions))]

    def _all(self, batches: Sequence[Sequence[EncodedRow]]) -> list[list[LabelLoglikelihoods | CallFailed]]:
        """Results of the batches: one after the other on an accelerator, on a CPU one for each thread at a time."""

        def weighed(batch: Sequence[EncodedRow]) -> list[LabelLoglikelihoods | CallFailed]:
            return self._weights.halved(self._passed, batch)

        if self.device != "cpu":
            return list(map(weighed, batches))
        torch = self._weights.torch
        with _ON_CPU:
            threads = torch.get_num_threads()
            if min(threads, len(batches)) < 2:
                return list(map(weighed, batches))
            try:
                with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
                    return list(pool.map(weighed, batches))
            finally:
                torch.set_num_threads(threads)

    def _pair(self, question: LabelPrompt) -> TextPair:
        """The pair of a question; the labels asked for are the classes, in their order."""
        if question.pair is None:
            raise CallFailed(NO_LOGPROBS, "this verifier reads a response beside a norm, and was asked something else")
        if tuple(label.casefold() for label in question.labels) != self._labels:
            asked, known = ", ".join(question.labels), ", ".join(self._labels)
            raise CallFailed(NO_LOGPROBS, f"the labels {asked} are asked for; the verifier knows {known}")
        return question.pair

    def _rows(self, pairs: Sequence[TextPair]) -> list[EncodedRow]:
        """The tokens of each pair, all read at once."""
        if not pairs:
            return []
        responses, norms = map(list, zip(*pairs, strict=True))
        found = self._weights.tokenizer(responses, norms, verbose=False)
        return [{name: column[number] for name, column in found.items()} for number in range(len(pairs))]

    def _passed(self, rows: Sequence[EncodedRow]) -> list[LabelLoglikelihoods]:
        """One forward pass."""
        torch, tokenizer, model, device = self._weights
        longest, padding = max(len(row["input_ids"]) for row in rows), {"input_ids": tokenizer.pad_token_id or 0}
        whole = {
            name: torch.tensor([[*row[name], *[padding.get(name, 0)] * (longest - len(row[name]))] for row in rows])
            for name in rows[0]
        }
        with torch.inference_mode():
            logits = model(**{name: each.to(device) for name, each in whole.items()}).logits
            sums = logits.double().log_softmax(-1).tolist()
        return [
            LabelLoglikelihoods(tuple(round(value, DIGITS) for value in each), len(row["input_ids"]), 0, merged=False)
            for each, row in zip(sums, rows, strict=True)
        ]
