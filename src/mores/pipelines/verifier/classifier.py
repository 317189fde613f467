"""A model that learns how responses stand to norms: pairs → tokens → batches → how wrong it is of their labels.

An encoder reads the text pair (response, norm) and has a head of three classes. A causal model reads the prompt of
judges whose labels are scored, and learns the label's word as what comes next. Batches are packed, without padding,
on an accelerator where the model then says what it says with padding; else rows of like length are padded. In a packed
row each token attends to its own sequence alone: PyTorch's attention over lengths does it in one call, and on a CPU
each sequence is attended to in turn, which gives the same figures and is there to test the rest by.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mores.core.codec import parse_json, read_text
from mores.core.errors import InputError
from mores.core.prompt import Prompt
from mores.core.seeds import Seed
from mores.judges.verifier import WORDS, NormPrompts, label_prompt
from mores.models.checkpoint import ADAPTER, find_checkpoint, first_line, library, quiet
from mores.models.local_scoring import LabelPrompt, LabelTokenizer
from mores.models.request import CallFailed, TextPair
from mores.models.verifier_facts import STANDS, VerifierKind
from mores.pipelines.verifier.pairs import ResponseNormPair

PACKED = "mores_packed"
"""Name of this attention in transformers."""


def register_packed_attention() -> None:
    """Make the attention known to transformers; it needs no mask, as lengths come with the tokens."""
    transformers = import_module("transformers")
    transformers.AttentionInterface.register(PACKED, _packed_attention)
    transformers.AttentionMaskInterface.register(PACKED, lambda *_, **__: None)


def can_pack(device: str) -> bool:
    """True where this PyTorch can attend over lengths on such a device."""
    return device == "cpu" or find_spec("torch.nn.attention.varlen") is not None


def layout_of(lengths: Sequence[int], device: Any) -> dict[str, Any]:
    """Arguments that tell a model of sequences in one row: each token's position in its own, and their ends."""
    torch = import_module("torch")
    ends = torch.tensor([0, *lengths], dtype=torch.int32, device=device).cumsum(0, dtype=torch.int32)
    places = torch.cat([torch.arange(length, device=device) for length in lengths])
    return {
        "position_ids": places[None],
        "cu_seq_lens_q": ends,
        "cu_seq_lens_k": ends,
        "max_length_q": max(lengths),
        "max_length_k": max(lengths),
    }


def _packed_attention(
    module: Any, query: Any, key: Any, value: Any, mask: Any, scaling: float | None = None, **arguments: Any
) -> tuple[Any, None]:
    """Attention of one row of sequences, shape (1, tokens, heads, size); no weight is dropped out of it."""
    _ = mask
    ends, causal = arguments["cu_seq_lens_q"], bool(getattr(module, "is_causal", False))
    grouped = query.shape[1] != key.shape[1]
    if query.device.type == "cpu":
        attend = import_module("torch.nn.functional").scaled_dot_product_attention
        torch, positions = import_module("torch"), ends.tolist()
        parts = [
            attend(*(each[:, :, start:end] for each in (query, key, value)), is_causal=causal, scale=scaling,
                   enable_gqa=grouped)
            for start, end in pairwise(positions)
        ]  # fmt: skip
        return torch.cat(parts, dim=2).transpose(1, 2), None
    most = arguments["max_length_q"]
    found = import_module("torch.nn.attention.varlen").varlen_attn(
        *(each[0].transpose(0, 1) for each in (query, key, value)), ends, ends, most, most, scale=scaling,
        window_size=(-1, 0) if causal else (-1, -1), enable_gqa=grouped,
    )  # fmt: skip
    return found[None], None


_HEADS = {"encoder": "AutoModelForSequenceClassification", "causal": "AutoModelForCausalLM"}
_TASKS = {"encoder": "SEQ_CLS", "causal": "CAUSAL_LM"}
_CAUSAL = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
"""Endings of what configurations call models that write."""
_LONGEST = 1_024
"""Tokens of a pair at most, unless a training says otherwise or the model takes fewer."""
_TOLERANCE = {"cpu": 1e-4, "cuda": 0.1}
"""Largest difference of logits of packed and padded batches: single precision, and bfloat16."""
_FENCE = Seed("verifier/train")
_CHECKED = 8  # rows on which the two are compared


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """Start of a training: a model by folder or hub name, its kind, and the part of it that learns.

    `lora` is the rank of the adapters that learn in place of the whole, 0 for the whole; `max_tokens` 0 stands for
    what the model takes, and 1,024 at most.
    """

    base: str
    kind: VerifierKind | None = None
    lora: int = 0
    max_tokens: int = 0
    seed: int = 0


class EncodedPair(NamedTuple):
    """A pair in tokens: token types where the model takes them, and the first token to learn, if any."""

    ids: tuple[int, ...]
    types: tuple[int, ...] | None
    label: int
    start: int


class NormClassifier:
    """The model in memory with its tokeniser; `packs` is true where it learns from packed batches."""

    def __init__(self, start: Start) -> None:
        """Load what training starts from; the head of an encoder is drawn by the seed.

        Raises:
            InputError: a library is missing, or there is no such model, or none that can learn.
        """
        where = f"--base {start.base}"
        need_libraries(start)
        folder = find_checkpoint(start.base, where)
        if (folder / ADAPTER).is_file():
            raise InputError(f"{where}: {folder} is an adapter; expected a whole model, such as the one it lies on.")
        self.torch = library("torch", where)
        self.device = "cuda" if self.torch.cuda.is_available() else "cpu"
        self.kind = start.kind or kind_of(folder)
        self.prompt: Prompt | None = NormPrompts.read(Prompt.read).weighed if self.kind == "causal" else None
        try:
            with quiet():
                self.tokenizer, model = self._loaded(folder, start)
                self.model = self._adapted(model, start, where).to(self.device)
        except InputError:
            raise
        except Exception as error:  # whatever a damaged file makes the libraries raise
            raise InputError(
                f"{where}: {folder} cannot be loaded ({first_line(error)}); expected a model of the kind "
                f"{self.kind} and its tokeniser as transformers stores them."
            ) from error
        self.max_tokens = self._most(start, where)
        self.packs, self.lora = False, bool(start.lora)

    def _loaded(self, folder: Path, start: Start) -> tuple[Any, Any]:
        transformers = library("transformers", start.base)
        transformers.utils.logging.disable_progress_bar()
        transformers.utils.logging.set_verbosity_error()  # that a head is new, is known
        register_packed_attention()
        self.torch.manual_seed(start.seed)
        names = dict(enumerate(STANDS))
        head = (
            {"num_labels": len(STANDS), "id2label": names, "label2id": {name: code for code, name in names.items()},
             "ignore_mismatched_sizes": True}
            if self.kind == "encoder" else {}
        )  # fmt: skip
        model = getattr(transformers, _HEADS[self.kind]).from_pretrained(
            folder, dtype=self.torch.float32, use_safetensors=True, local_files_only=True, **head
        )
        return transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True), model

    def _adapted(self, model: Any, start: Start, where: str) -> Any:
        if not start.lora:
            return model
        peft, rank = library("peft", where), start.lora
        adapters = peft.LoraConfig(
            task_type=_TASKS[self.kind], r=rank, lora_alpha=2 * rank, target_modules="all-linear"
        )
        return peft.get_peft_model(model, adapters)

    def _most(self, start: Start, where: str) -> int:
        config = self.model.config.get_text_config()
        takes = min(getattr(config, "max_position_embeddings", _LONGEST), int(self.tokenizer.model_max_length))
        if start.max_tokens > takes or start.max_tokens < 0:
            raise InputError(f"--max-length {start.max_tokens}: {where} takes {takes} tokens; name fewer.")
        return start.max_tokens or min(takes, _LONGEST)

    def rows(self, pairs: Sequence[ResponseNormPair]) -> tuple[list[EncodedPair], int]:
        """The pairs in tokens, and how many are left out as they are too long; nothing is cut off."""
        found = [row for row in (self._row(pair) for pair in pairs) if row is not None]
        return found, len(pairs) - len(found)

    def _row(self, pair: ResponseNormPair) -> EncodedPair | None:
        label = 0 if pair.label is None else STANDS.index(pair.label)
        if self.prompt is None:
            tokens = self.tokenizer(pair.response, pair.norm, verbose=False)
            types = tokens.get("token_type_ids")
            row = EncodedPair(tuple(tokens["input_ids"]), None if types is None else tuple(types), label, 0)
            return row if len(row.ids) <= self.max_tokens else None
        try:
            cut = LabelTokenizer(self.tokenizer, self.max_tokens).cut(question_of(pair, self.prompt))
        except CallFailed as failure:
            if failure.cause == "too long":
                return None
            raise InputError(f"{pair.id}: {failure}; expected a model whose tokeniser can part a label.") from failure
        return EncodedPair(cut.rows[label], None, label, cut.start)

    def loss(self, rows: Sequence[EncodedPair]) -> Any:
        """Loss of a batch: the mean over rows of their label's negative log-likelihood."""
        labels = [[row.label] if self.prompt is None else row.ids[row.start :] for row in rows]
        targets = self.torch.tensor([each for label in labels for each in label], device=self.device)
        with self._precision():
            logits = self.logits(rows, packed=self.packs)
            whole = self.torch.nn.functional.cross_entropy(logits.float(), targets, reduction="sum")
        return whole / len(rows)

    def logits(self, rows: Sequence[EncodedPair], *, packed: bool) -> Any:
        """Logits of the classes of each row, or of each token of their labels, one after the other."""
        return self._packed(rows) if packed else self._padded(rows)

    def pack(self, rows: Sequence[EncodedPair]) -> None:
        """Learn from packed batches from now on, where that gives what padded ones give."""
        window = getattr(self.model.config.get_text_config(), "sliding_window", None)
        # Packed attention has no window: a model with a short one would see more than it learnt with.
        if not can_pack(self.device) or (window is not None and window < self.max_tokens):
            return
        implementation = self.model.config._attn_implementation
        self.model.eval()
        try:
            with self.torch.no_grad(), self._precision():
                padded = self.logits(rows[:_CHECKED], packed=False)
                self._base().set_attn_implementation(PACKED)
                packed = self.logits(rows[:_CHECKED], packed=True)
            self.packs = bool((padded - packed).abs().max() < _TOLERANCE[self.device])
        except Exception:  # noqa: BLE001 - a model that knows no such attention raises what it likes
            self.packs = False
        if not self.packs:
            self._base().set_attn_implementation(implementation)

    def _precision(self) -> AbstractContextManager[Any]:
        return self.torch.autocast(self.device, dtype=self.torch.bfloat16, enabled=self.device == "cuda")  # type: ignore[no-any-return]

    def _base(self) -> Any:
        return self.model.get_base_model() if hasattr(self.model, "get_base_model") else self.model

    def _padded(self, rows: Sequence[EncodedPair]) -> Any:
        longest = max(len(row.ids) for row in rows)

        def whole(values: Sequence[Sequence[int]], padding: int) -> Any:
            filled = [[*each, *[padding] * (longest - len(each))] for each in values]
            return self.torch.tensor(filled, device=self.device)

        inputs = {
            # Any token will do for padding, as the mask hides it.
            "input_ids": whole([row.ids for row in rows], self.tokenizer.pad_token_id or 0),
            "attention_mask": whole([[1] * len(row.ids) for row in rows], 0),
        }
        if rows[0].types is not None:
            inputs["token_type_ids"] = whole([row.types or () for row in rows], 0)
        if self.prompt is None:
            return self.model(**inputs).logits
        logits = self.model(**inputs, use_cache=False).logits
        # Logits at a place are of the token after it, so a label is read from one place before its first token.
        positions = [(n, place) for n, row in enumerate(rows) for place in range(row.start - 1, len(row.ids) - 1)]
        return logits[tuple(zip(*positions, strict=True))]

    def _packed(self, rows: Sequence[EncodedPair]) -> Any:
        tensor, ends = self.torch.tensor, [0]
        for row in rows:
            ends.append(ends[-1] + len(row.ids))
        inputs = layout_of([len(row.ids) for row in rows], self.device)
        inputs["input_ids"] = tensor([[token for row in rows for token in row.ids]], device=self.device)
        if rows[0].types is not None:
            inputs["token_type_ids"] = tensor([[each for row in rows for each in row.types or ()]], device=self.device)
        if self.prompt is None:
            return self._classes(inputs, tensor(ends[:-1], device=self.device))
        positions = [
            end + place
            for row, end in zip(rows, ends, strict=False)
            for place in range(row.start - 1, len(row.ids) - 1)
        ]
        kept = tensor(positions, device=self.device)
        return self.model(**inputs, use_cache=False, logits_to_keep=kept).logits[0]

    def _classes(self, inputs: dict[str, Any], firsts: Any) -> Any:
        """Logits by the first token of each sequence, as heads of encoders in BERT's and RoBERTa's manner read it."""
        model = self._base()
        body = model.base_model
        if hasattr(body.embeddings, "create_position_ids_from_input_ids"):  # RoBERTa counts from behind the padding
            inputs["position_ids"] = inputs["position_ids"] + body.embeddings.padding_idx + 1
        first = body(**inputs).last_hidden_state[0, firsts][:, None]
        if getattr(body, "pooler", None) is None:
            return model.classifier(first)
        return model.classifier(model.dropout(body.pooler(first)))

    def save(self, folder: Path) -> None:
        """Put weights and tokeniser into a folder."""
        library("huggingface_hub.utils", str(folder)).disable_progress_bars()
        with quiet():
            self.model.save_pretrained(folder)
            self.tokenizer.save_pretrained(folder)


def need_libraries(start: Start) -> None:
    """Return where all that a training needs is installed.

    Raises:
        InputError: a library is not.
    """
    for name in ("torch", "transformers", *(("peft",) if start.lora else ())):
        library(name, f"--base {start.base}")


def kind_of(folder: Path) -> VerifierKind:
    """Kind of a model by its own configuration; one that does not say is an encoder."""
    path = folder / "config.json"
    config = parse_json(read_text(path), where=str(path))
    names = config.get("architectures") or () if isinstance(config, dict) else ()
    return "causal" if any(str(name).endswith(_CAUSAL) for name in names) else "encoder"


def question_of(pair: ResponseNormPair, prompt: Prompt) -> LabelPrompt:
    """Request to a verifier about a pair: the judge's words with the labels behind them, and the pair by itself."""
    values = {"place": pair.place_name, "question": pair.question, "norm": pair.norm, "answer": pair.response}
    return LabelPrompt(label_prompt(prompt, values, _FENCE.child(pair.id)), WORDS, TextPair(pair.response, pair.norm))
