"""A verifier on this machine gives the exact sums of a plain forward pass, batched or not, and no words."""

import asyncio
import hashlib
import json
import os
import shutil
from io import BufferedReader
from pathlib import Path

import pytest
from msgspec.structs import replace

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.transcript import Message
from mores.models import checkpoint, local_scoring
from mores.models.checkpoint import find_checkpoint, identity_of
from mores.models.registry import Connection, is_real, open_model
from mores.models.request import CallFailed, Reply, Request
from mores.models.verifier import VerifierModel
from tests.models.clients import ask_all, at_door, put, request
from tests.models.tiny import by_hand, needed, write_tiny

LABELS = ("Satisfy", "Neutral", "Violate")
BEGINNING = '{"Answer": "'


@pytest.fixture(autouse=True)
def _caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder with the files of a model, empty of sense: enough to be found and told from others."""
    folder = tmp_path / "bare"
    folder.mkdir()
    for name, text in {"config.json": "{}", "tokenizer.json": "{}", "model.safetensors": "weights"}.items():
        (folder / name).write_text(text)
    return folder


def asking(words: str = "Does it keep to the norm?", labels: tuple[str, ...] = LABELS) -> Request:
    messages = (Message(role="user", content=words), Message(role="assistant", content=BEGINNING))
    return replace(request(item=words), messages=messages, labels=labels)


def opened(folder: Path) -> VerifierModel:
    model = open_model(f"verifier/{folder}", Seed("test"), Connection())
    assert isinstance(model, VerifierModel)
    return model


def weigh(folder: Path, *requests: Request) -> tuple[list[Reply | CallFailed], VerifierModel]:
    """Replies or failures of requests that are put at once."""
    model = opened(folder)

    async def one(each: Request) -> Reply | CallFailed:
        try:
            return await put(model, each)
        except CallFailed as failure:
            return failure

    async def go() -> list[Reply | CallFailed]:
        try:
            return list(await asyncio.gather(*map(one, requests)))
        finally:
            await model.close()

    return asyncio.run(go()), model


def sums(reply: Reply | CallFailed) -> dict[str, float]:
    assert isinstance(reply, Reply), reply
    assert reply.logprobs is not None
    return dict(reply.logprobs)


def plain(words: str) -> str:
    return f"{words}\n\n{BEGINNING}"


def test_sums_are_those_of_a_plain_forward_pass(tiny: Path) -> None:
    (reply,), model = weigh(tiny, asking())
    assert isinstance(reply, Reply)
    expected = {label: by_hand(tiny, plain("Does it keep to the norm?"), label) for label in LABELS}
    assert sums(reply) == pytest.approx(expected, abs=2e-4)
    assert reply.text == max(expected, key=lambda label: expected[label])
    assert (reply.finish, reply.model) == ("exact", f"verifier/{tiny}")
    assert reply.usage.input > 10
    assert len(set(expected.values())) == 3
    assert not any("merges" in note for note in model.altered)


def test_no_sum_is_corrected_for_its_length(tiny: Path) -> None:
    (reply,), _ = weigh(tiny, asking(labels=("no", "Satisfy Satisfy Satisfy")))
    assert sums(reply)["Satisfy Satisfy Satisfy"] < 3 * sums(reply)["no"] / 2


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Rows of each forward pass, as they come."""
    seen: list[int] = []
    whole = local_scoring.LocalLabelScorer._logits

    def counting(self: local_scoring.LocalLabelScorer, rows: list[tuple[int, ...]], places: list[int]) -> object:
        seen.append(len(rows))
        return whole(self, rows, places)

    monkeypatch.setattr(local_scoring.LocalLabelScorer, "_logits", counting)
    return seen


def test_who_asks_at_once_is_answered_as_who_asks_alone(tiny: Path, passes: list[int]) -> None:
    questions = [asking("Does it " + "keep " * n + "to the norm?") for n in range(12)]
    together, _ = weigh(tiny, *questions)
    assert passes == [2 * 12]  # the word that is one token needs no row of its own beside the two that are cut
    for reply, question in zip(together, questions, strict=True):
        (alone,), _ = weigh(tiny, question)
        assert sums(reply) == pytest.approx(sums(alone), abs=1e-4)


def test_small_limits_cut_a_batch_and_change_no_sum(
    tiny: Path, passes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = [asking(f"Question {'so ' * n}?") for n in range(9)]
    whole, _ = weigh(tiny, *questions)
    monkeypatch.setattr(local_scoring, "BATCH_TOKENS", 500)
    cut, _ = weigh(tiny, *questions)
    monkeypatch.setattr(local_scoring, "BATCH_LOGITS", 1)
    one_by_one, _ = weigh(tiny, *questions)
    assert passes[0] == 18
    assert 1 < len(passes[1:-9]) < 9
    assert passes[-9:] == [2] * 9
    for reply, other, third in zip(whole, cut, one_by_one, strict=True):
        assert sums(reply) == pytest.approx(sums(other), abs=1e-4)
        assert sums(reply) == pytest.approx(sums(third), abs=1e-4)


def test_a_batch_that_the_memory_cannot_hold_is_halved(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch, whole = needed("torch"), local_scoring.LocalLabelScorer._logits

    def scarce(self: local_scoring.LocalLabelScorer, rows: list[tuple[int, ...]], places: list[int]) -> object:
        if len(rows) > 6:
            raise torch.OutOfMemoryError("no room")
        return whole(self, rows, places)

    monkeypatch.setattr(local_scoring.LocalLabelScorer, "_logits", scarce)
    replies, _ = weigh(tiny, *(asking(f"Question {n}") for n in range(10)))
    assert all(isinstance(reply, Reply) for reply in replies)


def test_a_model_that_gives_all_logits_gives_the_same_sums(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (few,), _ = weigh(tiny, asking())
    begin = local_scoring.LocalLabelScorer.__init__

    def all_logits(self: local_scoring.LocalLabelScorer, folder: Path, spec: str) -> None:
        begin(self, folder, spec)
        self._keeps = False

    monkeypatch.setattr(local_scoring.LocalLabelScorer, "__init__", all_logits)
    (whole,), _ = weigh(tiny, asking())
    assert sums(whole) == pytest.approx(sums(few), abs=1e-4)


def test_a_chat_template_is_used_and_left_open(tmp_path: Path) -> None:
    folder = write_tiny(tmp_path / "chat", chat=True)
    (reply,), _ = weigh(folder, asking("Is it so?"))
    text = f"<|user|>Is it so?<|end|>\n<|assistant|>{BEGINNING}"
    assert sums(reply) == pytest.approx({label: by_hand(folder, text, label) for label in LABELS}, abs=2e-4)


def test_a_seam_that_merges_is_weighed_from_one_place_and_noted(tmp_path: Path) -> None:
    folder = write_tiny(tmp_path / "merging", merges=('"Sat',))
    (reply,), model = weigh(folder, asking("Is it so?"))
    tokenizer = needed("transformers").AutoTokenizer.from_pretrained(folder)
    before = len(tokenizer(plain("Is it so?"))["input_ids"]) - 1  # its last, ' "', is cut in two by the merged one
    expected = {label: by_hand(folder, plain("Is it so?"), label, before) for label in LABELS}
    assert sums(reply) == pytest.approx(expected, abs=2e-4)
    assert any("merges" in note for note in model.altered)


def test_words_are_not_to_be_had(tiny: Path) -> None:
    (failure,), _ = weigh(tiny, request())
    assert isinstance(failure, CallFailed)
    assert str(failure) == "no words: a verifier gives probabilities of labels, no text"
    assert not failure.passing


def test_what_is_too_long_fails_alone(tiny: Path) -> None:
    (long, short), _ = weigh(tiny, asking("word " * 300), asking())
    assert isinstance(long, CallFailed)
    assert long.cause == "too long"
    assert isinstance(short, Reply)


def test_a_broken_pass_fails_its_requests_and_not_the_next(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, broken = local_scoring.LocalLabelScorer._logits, [True]

    def once(self: local_scoring.LocalLabelScorer, rows: list[tuple[int, ...]], places: list[int]) -> object:
        if broken.pop() if broken else False:
            raise RuntimeError("a kernel failed\nwith much to say")
        return whole(self, rows, places)

    monkeypatch.setattr(local_scoring.LocalLabelScorer, "_logits", once)
    model = opened(tiny)

    async def go() -> tuple[CallFailed, Reply]:
        try:
            with pytest.raises(CallFailed) as failure:
                await put(model, asking())
            return failure.value, await put(model, asking())
        finally:
            await model.close()

    failure, reply = asyncio.run(go())
    assert str(failure) == "verifier failed: RuntimeError: a kernel failed"
    assert reply.logprobs


def test_a_run_answers_from_its_journal_and_never_for_another_model(tiny: Path, tmp_path: Path) -> None:
    questions = [asking(f"Question {n}") for n in range(5)]
    first = at_door(tmp_path, opened(tiny), ask_all(*questions))
    other = write_tiny(tmp_path / "other", seed=2)
    moved = shutil.copytree(tiny, tmp_path / "moved")
    assert opened(moved).identity == opened(tiny).identity
    assert opened(other).identity != opened(tiny).identity
    assert at_door(tmp_path, opened(tiny), ask_all(*questions)) == first


def test_any_change_of_weights_or_words_is_another_model(bare: Path) -> None:
    before = identity_of((bare,))
    assert identity_of((bare,)) == before
    weights = bare / "model.safetensors"
    weights.write_bytes(b"other!!")
    os.utime(weights, ns=(1, 1))
    after = identity_of((bare,))
    (bare / "chat_template.jinja").write_text("{{ messages[0]['content'] }}")
    assert len({before, after, identity_of((bare,))}) == 3


def test_weights_are_read_once_and_anew_when_they_change(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    digest = hashlib.file_digest

    def noting(file: BufferedReader, name: str) -> object:
        read.append(file.name)
        return digest(file, name)

    monkeypatch.setattr(hashlib, "file_digest", noting)
    assert identity_of((bare,)) == identity_of((bare,))
    assert len(read) == 1
    os.utime(bare / "model.safetensors", ns=(1, 1))
    identity_of((bare,))
    assert len(read) == 2


def test_what_the_readme_of_a_model_says_does_not_matter(bare: Path) -> None:
    before = identity_of((bare,))
    (bare / "README.md").write_text("Words for people.")
    assert identity_of((bare,)) == before


def test_a_model_of_the_hub_is_the_one_that_lies_in_a_folder(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hub's cache as it lies on a disk: large files are links to blobs that are named by their hash."""
    hub = needed("huggingface_hub.constants")
    cache, commit = tmp_path / "hub" / "models--org--tiny", "c" * 40
    snapshot = cache / "snapshots" / commit
    for folder in (snapshot, cache / "blobs", cache / "refs"):
        folder.mkdir(parents=True)
    (cache / "refs" / "main").write_text(commit)
    for path in bare.iterdir():
        blob = cache / "blobs" / hashlib.sha256(path.read_bytes()).hexdigest()
        blob.write_bytes(path.read_bytes())
        (snapshot / path.name).symlink_to(blob)
    monkeypatch.setattr(hub, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(hub, "HF_HUB_OFFLINE", True)
    found = find_checkpoint("org/tiny", "verifier/org/tiny")
    assert identity_of((found,)) == identity_of((bare,))
    assert find_checkpoint(f"org/tiny@{commit}", "verifier/org/tiny") == found
    with pytest.raises(InputError, match="not fetched from the Hugging Face hub") as error:
        find_checkpoint("org/none", "verifier/org/none")
    assert "\n" not in str(error.value)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # peft's own, of what transformers will drop
def test_an_adapter_is_laid_on_its_base(tiny: Path, tmp_path: Path) -> None:
    peft, transformers, torch = needed("peft"), needed("transformers"), needed("torch")
    folder = tmp_path / "adapter"
    base = transformers.AutoModelForCausalLM.from_pretrained(tiny)
    torch.manual_seed(3)
    config = peft.LoraConfig(
        r=4, target_modules=["c_attn"], task_type="CAUSAL_LM", init_lora_weights=False, fan_in_fan_out=True
    )
    adapted = peft.get_peft_model(base, config)
    adapted.save_pretrained(folder)
    said = json.loads((folder / "adapter_config.json").read_text())
    (folder / "adapter_config.json").write_text(json.dumps({**said, "base_model_name_or_path": str(tiny)}))
    (reply,), model = weigh(folder, asking())
    (bare,), _ = weigh(tiny, asking())
    assert sums(reply) != pytest.approx(sums(bare), abs=1e-2)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny)
    whole = tokenizer(plain("Does it keep to the norm?") + "Neutral")["input_ids"]
    start = len(tokenizer(plain("Does it keep to the norm?"))["input_ids"])
    with torch.no_grad():
        logprobs = adapted.eval()(input_ids=torch.tensor([whole])).logits[0].double().log_softmax(-1)
    by_adapter = float(sum(logprobs[place - 1, whole[place]] for place in range(start, len(whole))))
    assert sums(reply)["Neutral"] == pytest.approx(by_adapter, abs=2e-4)
    assert model.identity != opened(tiny).identity


@pytest.mark.parametrize(
    ("missing", "why"),
    [
        ("config.json", "holds no model; expected config.json"),
        ("model.safetensors", r"has no weights; expected \*.safetensors"),
    ],
)
def test_a_folder_that_holds_no_model_is_one_clear_line(bare: Path, missing: str, why: str) -> None:
    (bare / missing).unlink()
    with pytest.raises(InputError, match=why) as error:
        opened(bare)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["./none", "/none", "~/none"])
def test_a_folder_that_is_not_there_is_not_looked_for_elsewhere(name: str) -> None:
    with pytest.raises(InputError, match="no such folder; expected a model's folder, or its name on the Hugging"):
        open_model(f"verifier/{name}", Seed("test"), Connection())


@pytest.mark.parametrize("missing", ["torch", "transformers", "peft"])
def test_a_missing_library_says_how_to_get_it(bare: Path, missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (bare / "adapter_config.json").write_text('{"base_model_name_or_path": "none"}')
    monkeypatch.setattr(checkpoint, "find_spec", lambda name: None if name == missing else object())
    monkeypatch.setattr(checkpoint, "import_module", lambda name: object())
    with pytest.raises(InputError, match=f"{missing} is not installed; pip install '\\.\\[verifier\\]'"):
        opened(bare)


@pytest.mark.parametrize("said", ["{}", "[]", '{"base_model_name_or_path": null}'])
def test_an_adapter_that_names_no_base_is_refused(bare: Path, said: str) -> None:
    (bare / "adapter_config.json").write_text(said)
    with pytest.raises(InputError, match="no base_model_name_or_path"):
        checkpoint.base_of(bare, "verifier/bare")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_files_that_cannot_be_used_are_one_clear_line(tiny: Path, tmp_path: Path, name: str) -> None:
    folder = shutil.copytree(tiny, tmp_path / "damaged")
    (folder / name).write_text("{")
    with pytest.raises(InputError, match="cannot be loaded") as error:
        weigh(folder, asking())
    assert "\n" not in str(error.value)


def test_a_verifier_is_a_real_model(tiny: Path) -> None:
    model = opened(tiny)
    assert is_real(model.spec)
    assert (model.reads_key, model.simulated, model.by_item) == (False, False, False)
