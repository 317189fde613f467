"""The option nearest to the name of the place: what a model of embeddings guesses without reading the question.

`baseline/similarity:FOLDER`, or in place of the folder a name on the Hugging Face hub, or PROVIDER/MODEL of an endpoint
that embeds texts in OpenAI's form. Name of the place and texts of the options ─▶ `Embedder` ─▶ cosines ─▶ the words of
the option with the greatest, the first of them where several tie.

The paper embeds "the country name" and, apart from it, each option. It leaves open in which spelling the country
is named (here: as the data spell it), what is embedded of an option that only names statements of the question (here:
their texts) and how ties are broken. Its own model is openai/text-embedding-3-small; we found no code of it released.

Source:
    Chiu et al. (2024), CulturalBench, arXiv:2410.02677, section 5.1.
"""

import asyncio
import hashlib
import re
from array import array
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from importlib import import_module
from importlib.util import find_spec
from math import sqrt
from operator import mul
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from mores.core.codec import encode, parse_json
from mores.core.errors import InputError
from mores.core.extras import how_to_install
from mores.models.checkpoint import fetch, first_line, sha_of
from mores.models.credentials import Access, credentials_of
from mores.models.http import LARGEST_REPLY, HttpClient
from mores.models.model import LocalModel
from mores.models.provider import CHAT_COMPLETIONS, find_provider, home_of, provider_of
from mores.models.redaction import Redaction
from mores.models.request import AnswerKey, CallFailed, Reply, Request, Usage
from mores.models.single_flight import SingleFlight

NAME = "baseline/similarity"
KEPT = 10_000
"""Texts whose vectors are at hand."""
DIGITS = 10
"""Of a cosine that are kept: in double precision the others vary with what else is embedded beside it."""
OTHER_FORMATS = ("onnx/*", "openvino/*", "pytorch_model*.bin", "*.onnx", "*.h5", "*.ot", "*.msgpack", "*.gguf", "*.md")
"""Files of a model that are neither fetched nor counted: weights in formats not read here, words for people."""

EXPECTED = "expected the folder of a sentence-transformers model"
_HUB_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")
Vector: TypeAlias = Sequence[float]


class Embedder(Protocol):
    """Texts in, one vector each; a text's vector rests on the text alone. `identity` tells one model from another."""

    identity: str

    def __call__(self, texts: Sequence[str]) -> Sequence[Vector]:
        """The vectors of some texts, in their order."""
        ...


def is_similarity(spec: str) -> bool:
    """True for the name of this baseline, with or without a model."""
    return spec.partition(":")[0] == NAME


def has_options(key: AnswerKey) -> bool:
    """True where a question has several options and a place whose name they can be compared with."""
    return len(key.options) > 1 and bool(key.place_name)


class SimilarityBaseline(LocalModel):
    """A respondent that knows which option is nearest to the name of the place; each text is embedded once."""

    reads_key = True
    by_item = False

    def __init__(self, spec: str, embedder: Embedder | None = None, access: Access | None = None) -> None:
        super().__init__(spec)
        embedder = embedder or embedder_of(spec, access)
        if isinstance(embedder, EndpointEmbedder):
            self.overhead = embedder.unpaid
        self._texts = Embedded(embedder)
        self.identity = f"similarity.v1 {self._texts.identity}"
        self.similarities = self.cosines

    async def reply(self, request: Request) -> Reply:
        """Words of the nearest option.

        Raises:
            CallFailed: the request has no list of outcomes.
            InputError: the question has no options to compare, or the embedding model cannot be loaded.
        """
        key = request.key
        if key is None:
            raise CallFailed("no sealed key", "a baseline answers only closed questions")
        (cosines,) = await self.cosines([key])
        nearest = max(cosines, key=cosines.__getitem__)
        return Reply(text=key.ways[nearest], model=self.spec, planted=nearest)

    async def cosines(self, keys: Sequence[AnswerKey]) -> tuple[dict[str, float], ...]:
        """The cosine of each option with the name of the place, by outcome, for each question.

        Raises:
            InputError: a question has no options to compare, or the embedding model cannot be loaded.
        """
        for key in keys:
            if not has_options(key):
                raise InputError(
                    f"{NAME}: these questions have no options to compare with the name of a place; "
                    "expected some that do, such as those of culturalbench/easy."
                )
        texts = [text for key in keys for text in (key.place_name, *key.options.values())]
        vectors = dict(zip(texts, await self._texts.vectors(texts), strict=True))
        return tuple(
            {outcome: cosine(vectors[key.place_name], vectors[text]) for outcome, text in key.options.items()}
            for key in keys
        )


class Embedded:
    """Texts and their vectors, each embedded once while it is among the latest `KEPT`."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.identity = embedder.identity
        self._vectors: dict[str, Vector] = {}
        self._wanted: dict[str, None] = {}
        self._round = SingleFlight[None]()

    async def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """The vector of each text; texts are embedded in rounds, each with all that is wanted when it begins.

        Raises:
            InputError: the embedding model cannot be loaded.
        """
        found = {text: self._vectors[text] for text in texts if text in self._vectors}
        while not found.keys() >= set(texts):
            self._wanted |= dict.fromkeys(text for text in texts if text not in found)
            await self._round.outcome(self._embed)
            found |= {text: self._vectors[text] for text in texts if text in self._vectors}
        return [found[text] for text in texts]

    async def _embed(self) -> None:
        await asyncio.sleep(0)  # whoever else asks in this turn of the loop has then said what it wants
        batch = tuple(self._wanted)
        vectors = await asyncio.to_thread(self._embedder, batch)
        kept = [*self._vectors.items(), *zip(batch, vectors, strict=True)]
        # Never fewer than this batch, which somebody waits for.
        self._vectors = dict(kept[-max(KEPT, len(batch)) :])
        for text in batch:
            del self._wanted[text]


def cosine(one: Vector, other: Vector) -> float:
    """Cosine of the angle between two vectors, to ten digits; 0 where one of them has no length.

    >>> cosine([1.0, 0.0], [1.0, 1.0])
    0.7071067812
    """
    lengths = sqrt(sum(map(mul, one, one))) * sqrt(sum(map(mul, other, other)))
    return round(sum(map(mul, one, other)) / lengths, DIGITS) if lengths else 0.0


def embedder_of(spec: str, access: Access | None = None) -> Embedder:
    """The embedding model that a spec names, not loaded yet; an endpoint is reached by `access`.

    Raises:
        InputError: no model is named, there is none by that name, or the library or a key is missing.
    """
    name = spec.removeprefix(NAME).removeprefix(":")
    if not name:
        raise InputError(
            f"{spec}: no embedding model; expected {NAME}:FOLDER, its name on the Hugging Face hub, or PROVIDER/MODEL."
        )
    return embedder_named(name, spec, access)


def embedder_named(name: str, spec: str, access: Access | None = None) -> Embedder:
    """The embedding model in a folder, behind an endpoint (PROVIDER/MODEL), or of a name on the Hugging Face hub.

    `spec` is what a user typed. Of a provider's name and a hub's that are alike, the provider's is meant.

    Raises:
        InputError: there is none by that name, or the library or a key is missing.
    """
    folder = Path(name).expanduser()
    provider = find_provider(name) if "/" in name and not folder.is_dir() else None
    if provider is not None and provider.home is not None:
        return EndpointEmbedder(name, spec, access or Access())
    if find_spec("sentence_transformers") is None:
        brings = how_to_install("build")
        raise InputError(f"{spec}: sentence-transformers is not installed; {brings} brings it.")
    return SentenceEmbedder(folder if folder.is_dir() else _fetched(name, spec), spec)


def _fetched(name: str, spec: str) -> Path:
    if not _HUB_NAME.fullmatch(name):
        raise InputError(f"{spec}: no such folder; {EXPECTED}, or its name on the Hugging Face hub.")
    known = name if "/" in name else f"sentence-transformers/{name}"
    hub = import_module("huggingface_hub")
    return fetch(name, spec, lambda: hub.snapshot_download(known, ignore_patterns=OTHER_FORMATS))


class SentenceEmbedder:
    """A sentence-transformers model in a folder, loaded when first asked; `identity` is the hash of its files.

    It runs on the processor in double precision: what a batch adds to a text's vector is then far below `DIGITS`,
    so that figures do not depend on which texts were wanted together, nor on the machine.
    """

    def __init__(self, folder: Path, spec: str) -> None:
        if not any((folder / name).is_file() for name in ("modules.json", "config.json")):
            raise InputError(f"{spec}: {folder} has neither modules.json nor config.json; {EXPECTED}.")
        self.identity = hash_files(folder)
        self._folder, self._spec = folder, spec
        self._model: Any = None

    def __call__(self, texts: Sequence[str]) -> Sequence[Vector]:
        """The vectors of some texts.

        Raises:
            InputError: the model cannot be loaded.
        """
        if self._model is None:
            self._model = self._loaded()
        rows = self._model.encode(list(texts), show_progress_bar=False, convert_to_numpy=True)
        return [array("d", row) for row in rows.tolist()]

    def _loaded(self) -> Any:
        import_module("transformers").utils.logging.disable_progress_bar()  # it would write over a run's own
        library = import_module("sentence_transformers")
        safe = {"use_safetensors": True}  # other formats of weights can run code
        try:
            model = library.SentenceTransformer(
                str(self._folder), device="cpu", local_files_only=True, model_kwargs=safe
            )
            return model.double()
        except Exception as error:  # whatever a damaged file makes the library raise
            raise InputError(
                f"{self._spec}: {self._folder} cannot be loaded ({first_line(error)}); {EXPECTED}."
            ) from error


AT_ONCE = 256
"""Texts in one call to an endpoint."""
TRIES, LONGEST_WAIT = 5, 30.0
"""Number of tries of a call whose failure may pass, and the seconds between two of them at most."""


class EndpointEmbedder:
    """A model behind an endpoint that embeds texts in OpenAI's form; `identity` is its name and address.

    `unpaid` has the tokens of each call that was answered and that no budget has counted yet. Vectors are kept nowhere:
    whoever asks again may get them with other last digits.
    """

    def __init__(self, name: str, spec: str, access: Access) -> None:
        """Settle the way to it.

        Raises:
            InputError: the provider has another form of calls, or its key is missing or would go to somebody else.
        """
        provider = provider_of(name)
        form = provider.form
        if form != CHAT_COMPLETIONS:
            raise InputError(f"{spec}: {provider.name} has no embeddings in OpenAI's form; expected another provider.")
        sent = credentials_of(name, home_of(provider), access)
        key = {form.key_header: f"{form.key_prefix}{sent.key}"} if sent.key else {}
        self._headers = {**form.headers, **key, **sent.headers}
        self._redaction, self._address = Redaction(*sent.secrets), provider.address(access.base_url)
        self._spec, self._model = spec, name.partition("/")[2]
        self.identity = f"{self._model} at {provider.identity(access.base_url)}"
        self.unpaid: list[Usage] = []

    def __call__(self, texts: Sequence[str]) -> Sequence[Vector]:
        """The vectors of some texts.

        Raises:
            InputError: the endpoint gives none.
        """
        # In a thread of its own, as whoever calls may have a loop running in this one.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, self._vectors(texts)).result()

    async def _vectors(self, texts: Sequence[str]) -> list[Vector]:
        client = HttpClient(self._address, self._redaction, path="embeddings", headers=self._headers, timeout=300.0)
        try:
            parts = [texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE)]
            return [vector for part in parts for vector in await self._of_part(client, part)]
        finally:
            await client.close()

    async def _of_part(self, client: HttpClient, texts: Sequence[str]) -> list[Vector]:
        body = encode({"model": self._model, "input": list(texts), "encoding_format": "float"})
        for attempt in range(1, TRIES + 1):
            try:
                answer, _ = await client.post(body, LARGEST_REPLY)
                return self._read(answer, len(texts))
            except CallFailed as error:
                if attempt == TRIES or not error.passing:
                    raise InputError(f"{self._spec}: no vectors from {self._address} ({error}).") from error
                await asyncio.sleep(min(error.wait or 2.0**attempt, LONGEST_WAIT))
        raise AssertionError

    def _read(self, answer: bytes, texts: int) -> list[Vector]:
        """The vectors of an answer in the order of their texts; its tokens are noted."""
        where = f"{self._spec}: answer of {self._address}"
        body = parse_json(answer.decode(errors="replace"), where=where)
        self.unpaid.append(_usage(body))
        try:
            found = {row["index"]: array("d", row["embedding"]) for row in body["data"]}
        except (TypeError, KeyError) as error:
            raise InputError(f"{where}: no vectors; expected data with an index and an embedding each.") from error
        if set(found) != set(range(texts)) or not all(map(len, found.values())):
            raise InputError(f"{where}: {len(found):,} vectors for {texts:,} texts; expected one for each.")
        return [found[number] for number in range(texts)]


def _usage(body: Any) -> Usage:
    """The tokens that an answer says it read, none where it says nothing of them."""
    try:
        return Usage(input=max(0, int(body["usage"]["prompt_tokens"])))
    except (TypeError, KeyError, ValueError):
        return Usage()


def hash_files(folder: Path) -> str:
    """Sixteen hex digits of the names and bytes of a model's files; hidden ones and `OTHER_FORMATS` do not count."""
    whole = hashlib.sha256()
    for name in sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()):
        hidden = any(part.startswith(".") for part in name.split("/"))
        if not hidden and not any(fnmatch(name, each) for each in OTHER_FORMATS):
            whole.update(f"{name}\n{sha_of(folder / name)}\n".encode())
    return whole.hexdigest()[:16]
