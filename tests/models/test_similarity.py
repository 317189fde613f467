"""The option nearest to the place's name: from cosines alone, each text embedded once, for one model of embeddings."""

import asyncio
import importlib.util
import json
import sys
from collections.abc import Mapping, Sequence
from math import isclose
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.transcript import Message
from mores.models.credentials import Access
from mores.models.journal import request_key
from mores.models.registry import Connection, open_model
from mores.models.request import AnswerKey, CallFailed, Usage
from mores.models.similarity import (
    SentenceEmbedder,
    SimilarityBaseline,
    cosine,
    embedder_named,
    embedder_of,
    hash_files,
)
from tests.models.clients import KEY, request
from tests.models.listener import Heard, Say, listening

SPEC = "baseline/similarity:toy"
TOY = {
    "Japan": (1.0, 0.0),
    "miso soup": (0.9, 0.1),
    "onion soup": (0.2, 0.9),
    "beetroot soup": (0.1, 1.0),
    "a bowl of miso soup": (0.9, 0.1),
}
SOUPS = AnswerKey(
    unit="u",
    truth="a",
    ways={letter: letter.upper() for letter in "abc"},
    options={"a": "onion soup", "b": "miso soup", "c": "beetroot soup"},
    place_name="Japan",
)
vectors = st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3).filter(lambda v: any(abs(x) > 1e-3 for x in v))


class Toy:
    """Known vectors for known texts; it counts what it is asked, and breaks as often as told."""

    identity = "toy"

    def __init__(self, known: Mapping[str, Sequence[float]] = TOY, breaks: int = 0) -> None:
        self.known, self.breaks = known, breaks
        self.batches: list[tuple[str, ...]] = []

    def __call__(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if self.breaks:
            self.breaks -= 1
            raise MemoryError
        self.batches.append(tuple(texts))
        return [self.known[text] for text in texts]


def say(key: AnswerKey | None) -> str:
    return asyncio.run(SimilarityBaseline(SPEC, Toy()).reply(replace(request(), key=key))).text


def test_the_option_nearest_to_the_place_is_said_in_the_words_of_its_outcome() -> None:
    assert say(SOUPS) == "B"
    assert say(replace(SOUPS, ways={"a": "one", "b": "two", "c": "three"})) == "two"


def test_of_options_equally_near_the_first_is_said() -> None:
    assert say(replace(SOUPS, options={"a": "onion soup", "b": "a bowl of miso soup", "c": "miso soup"})) == "B"
    assert say(replace(SOUPS, options={"a": "onion soup", "b": "miso soup", "c": "miso soup"})) == "B"


@pytest.mark.parametrize("truth", ["a", "b", "c"])
def test_neither_the_truth_nor_the_question_is_looked_at(truth: str) -> None:
    asked = replace(
        request(),
        key=replace(SOUPS, truth=truth),
        messages=(Message(role="user", content="Which soup do few in Japan eat?"),),
    )
    assert asyncio.run(SimilarityBaseline(SPEC, Toy()).reply(asked)).text == "B"


def test_similarities_are_the_cosines_of_each_option() -> None:
    (found,) = asyncio.run(SimilarityBaseline(SPEC, Toy()).cosines([SOUPS]))
    assert list(found) == ["a", "b", "c"]
    assert found["b"] == pytest.approx(0.9 / (0.81 + 0.01) ** 0.5, abs=1e-9)


def test_each_text_is_embedded_once_and_what_is_wanted_together_goes_together() -> None:
    toy = Toy()
    more = replace(SOUPS, options={"a": "onion soup", "b": "a bowl of miso soup"})

    async def ask() -> None:
        model = SimilarityBaseline(SPEC, toy)
        await asyncio.gather(*(model.cosines([key]) for key in (SOUPS, SOUPS, more)))
        await model.cosines([more, SOUPS])

    asyncio.run(ask())
    assert len(toy.batches) == 1
    assert sorted(toy.batches[0]) == sorted(TOY)


class Held(Toy):
    """A toy that embeds nothing until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.let_go = Event(), Event()

    def __call__(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self.asked.set()
        assert self.let_go.wait(10)
        return super().__call__(texts)


def test_what_is_wanted_while_others_are_embedded_goes_together_in_the_next_round() -> None:
    toy = Held()
    more = replace(SOUPS, options={"a": "miso soup", "b": "a bowl of miso soup"})
    still = replace(SOUPS, options={"a": "miso soup", "b": "clear soup"})
    toy.known = {**TOY, "clear soup": (0.5, 0.5)}

    async def ask() -> list[tuple[dict[str, float], ...]]:
        model = SimilarityBaseline(SPEC, toy)
        first = asyncio.create_task(model.cosines([SOUPS]))
        assert await asyncio.to_thread(toy.asked.wait, 10)
        later = [asyncio.create_task(model.cosines([key])) for key in (more, still)]
        await asyncio.sleep(0)
        toy.let_go.set()
        return await asyncio.gather(first, *later)

    assert [len(found) for (found,) in asyncio.run(ask())] == [3, 2, 2]
    assert [set(batch) for batch in toy.batches] == [
        set(TOY) - {"a bowl of miso soup"},
        {"a bowl of miso soup", "clear soup"},
    ]


def test_texts_that_could_not_be_embedded_are_tried_again() -> None:
    toy = Toy(breaks=1)

    async def ask() -> tuple[dict[str, float], ...]:
        model = SimilarityBaseline(SPEC, toy)
        with pytest.raises(MemoryError):
            await model.cosines([SOUPS])
        return await model.cosines([SOUPS])

    assert len(asyncio.run(ask())[0]) == 3


@pytest.mark.parametrize("key", [KEY, replace(SOUPS, options={}), replace(SOUPS, place_name="")])
def test_questions_without_options_or_place_are_refused(key: AnswerKey) -> None:
    with pytest.raises(InputError, match=r"no options to compare.*such as those of culturalbench/easy"):
        say(key)


def test_without_a_sealed_key_there_is_no_answer() -> None:
    with pytest.raises(CallFailed, match="no sealed key"):
        say(None)


def test_another_embedding_model_never_takes_a_journalled_answer() -> None:
    one, other = Toy(), Toy()
    other.identity = "another"
    asked = replace(request(), key=SOUPS)
    same = request_key(SimilarityBaseline(SPEC, one), asked) == request_key(SimilarityBaseline(SPEC, Toy()), asked)
    assert same
    assert request_key(SimilarityBaseline(SPEC, one), asked) != request_key(SimilarityBaseline(SPEC, other), asked)


@given(one=vectors, other=vectors, factor=st.floats(0.01, 100))
def test_a_cosine_lies_within_its_bounds_and_knows_no_length(
    one: list[float], other: list[float], factor: float
) -> None:
    found = cosine(one, other)
    assert -1 <= found <= 1
    assert found == cosine(other, one)
    assert isclose(found, cosine([factor * x for x in one], other), abs_tol=1e-9)
    assert cosine(one, one) == 1


def test_a_vector_without_length_is_near_nothing() -> None:
    assert cosine([0.0, 0.0], [1.0, 0.0]) == 0


def installed(monkeypatch: pytest.MonkeyPatch, *, yes: bool) -> None:
    found = importlib.util.spec_from_loader("sentence_transformers", None) if yes else None
    monkeypatch.setattr("mores.models.similarity.find_spec", lambda name: found)


def refusal(spec: str) -> str:
    with pytest.raises(InputError) as error:
        open_model(spec, Seed("test"), Connection())
    told = str(error.value)
    assert len(told.splitlines()) == 1
    return told


@pytest.mark.parametrize("spec", ["baseline/similarity", "baseline/similarity:"])
def test_a_model_must_be_named(spec: str) -> None:
    assert f"{spec}: no embedding model; expected baseline/similarity:FOLDER" in refusal(spec)


def test_a_missing_library_is_said_with_the_extra_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, yes=False)
    assert "pip install '.[build]'" in refusal(f"baseline/similarity:{tmp_path}")


def test_a_folder_that_is_none_or_holds_no_model_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, yes=True)
    assert "no such folder; expected the folder of a sentence-transformers model" in refusal(
        f"baseline/similarity:{tmp_path}/none"
    )
    assert "has neither modules.json nor config.json" in refusal(f"baseline/similarity:{tmp_path}")


def test_a_name_is_looked_for_on_the_hub_without_the_weights_of_other_libraries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, yes=True)
    (tmp_path / "modules.json").write_text("[]")
    asked: list[tuple[str, Sequence[str]]] = []

    def fetch(name: str, *, ignore_patterns: Sequence[str]) -> str:
        asked.append((name, ignore_patterns))
        return str(tmp_path)

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=fetch))
    model = open_model("baseline/similarity:small", Seed("test"), Connection())
    open_model("baseline/similarity:someone/small.v2", Seed("test"), Connection())
    assert [name for name, _ in asked] == ["sentence-transformers/small", "someone/small.v2"]
    assert "*.onnx" in asked[0][1]
    assert hash_files(tmp_path) in model.identity


def test_a_hub_that_gives_nothing_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, yes=True)

    def fetch(name: str, *, ignore_patterns: Sequence[str]) -> str:
        raise ConnectionError("nobody\nanswers")

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=fetch))
    assert "not fetched from the Hugging Face hub (ConnectionError: nobody)" in refusal("baseline/similarity:small")


def test_the_identity_is_that_of_the_files_that_decide_the_vectors(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "weights").mkdir()
    weights = tmp_path / "weights" / "model.safetensors"
    weights.write_bytes(b"\0")
    before = SentenceEmbedder(tmp_path, SPEC).identity
    (tmp_path / "README.md").write_text("words for people")
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "seen").write_text("yesterday")
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx" / "model.onnx").write_bytes(b"\1")
    assert SentenceEmbedder(tmp_path, SPEC).identity == before
    weights.write_bytes(b"\1")
    assert SentenceEmbedder(tmp_path, SPEC).identity != before


def test_a_real_model_embeds_a_text_alike_whatever_stands_beside_it(small: Path) -> None:
    embed = embedder_of(f"baseline/similarity:{small}")
    texts = ["Japan", "miso soup", "a very long way to say that there is borscht, with beetroot and with cream", ""]
    together, alone = embed(texts), [embed([text])[0] for text in texts]
    for one, other in zip(together, alone, strict=True):
        assert cosine(one, other) == 1
        assert max(abs(x - y) for x, y in zip(one, other, strict=True)) < 1e-12


def test_a_real_model_knows_a_soup_of_the_place(small: Path) -> None:
    model = open_model(f"baseline/similarity:{small}", Seed("test"), Connection())
    assert asyncio.run(model.reply(replace(request(), key=SOUPS))).planted == "b"


def test_a_damaged_real_model_is_one_clear_line(small: Path, tmp_path: Path) -> None:
    for path in small.glob("*.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"x")
    with pytest.raises(InputError, match=r"cannot be loaded .*; expected the folder") as error:
        embedder_of(f"baseline/similarity:{tmp_path}")(["Japan"])
    assert len(str(error.value).splitlines()) == 1


def embedded(heard: Heard) -> Say:
    """Vectors of the texts of a call, the last first, as an endpoint may order them."""
    asked = json.loads(heard.body)
    rows = [{"index": n, "embedding": TOY[text]} for n, text in enumerate(asked["input"])]
    usage = {"prompt_tokens": len(rows), "total_tokens": len(rows)}
    return Say(json.dumps({"object": "list", "data": rows[::-1], "model": asked["model"], "usage": usage}).encode())


def test_an_endpoint_gives_the_vectors_by_its_own_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MORES_API_KEY", "k-1")
    with listening(embedded) as server:
        connection = Connection(base_url=server.url, typed=True)
        model = open_model("baseline/similarity:vllm/embed-small", Seed("s"), connection)
        reply = asyncio.run(model.reply(replace(request(), key=SOUPS)))
        (heard,) = server.heard
    assert reply.text == "B"
    assert heard.target.endswith("/embeddings")
    assert heard.headers["Authorization"] == "Bearer k-1"
    assert json.loads(heard.body)["model"] == "embed-small"
    assert model.identity.startswith("similarity.v1 embed-small at http://127.0.0.1")
    assert model.overhead == [Usage(input=len(json.loads(heard.body)["input"]))], "a budget counts it"


def test_an_endpoint_that_is_busy_is_asked_again_and_one_that_refuses_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mores.models.similarity.LONGEST_WAIT", 0.0)
    left = [Say(b'{"error": {"message": "busy"}}', status=503)]
    with listening(lambda heard: left.pop() if left else embedded(heard)) as server:
        embedder = embedder_named("vllm/m", "--embed vllm/m", Access(base_url=server.url))
        assert [list(vector) for vector in embedder(["Japan"])] == [[1.0, 0.0]]
        assert len(server.heard) == 2
    with listening(lambda _: Say(b'{"error": {"message": "no such model"}}', status=404)) as server:
        embedder = embedder_named("vllm/m", "--embed vllm/m", Access(base_url=server.url))
        with pytest.raises(InputError, match=r"--embed vllm/m: no vectors from http.*404"):
            embedder(["Japan"])


@pytest.mark.parametrize(
    ("said", "says"),
    [
        (b'{"data": []}', "0 vectors for 1 texts; expected one for each"),
        (b'{"data": [{"index": 0}]}', "no vectors; expected data with an index and an embedding each"),
        (b"{}", "no vectors; expected data"),
        (b"[]", "no vectors; expected data"),
        (b"hello", "answer of http"),
    ],
)
def test_an_answer_without_a_vector_for_each_text_is_refused_in_a_line(said: bytes, says: str) -> None:
    with listening(lambda _: Say(said)) as server:
        embedder = embedder_named("vllm/m", "--embed vllm/m", Access(base_url=server.url))
        with pytest.raises(InputError, match=says):
            embedder(["Japan"])


def test_an_endpoint_without_a_key_is_refused_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        embedder_of("baseline/similarity:openai/text-embedding-3-small")
