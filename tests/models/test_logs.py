"""Logs of other programs are told by their content and read as replies; what is damaged is refused in one line."""

import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from mores.core.errors import InputError
from mores.models.logs import lm_eval
from mores.models.logs.documents import NO_WORDS
from mores.models.logs.logged_reply import Log, Logged, LoggedQuestion, ReplyCounts, reply_of
from mores.models.logs.match import match
from mores.models.recorded_files import read_recording

Row = Mapping[str, Any]


def inspect_sample(item: str | int = "q-1", epoch: int = 1, said: str = "A", **other: Any) -> Row:
    choice = {"message": {"role": "assistant", "content": said}, "stop_reason": other.pop("stop", "stop")}
    return {"id": item, "epoch": epoch, "input": "Which?", "target": "A", "messages": [],
            "output": {"model": "m", "choices": [choice]}, **other}  # fmt: skip


def inspect_zip(*samples: Row) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as log:
        log.writestr("header.json", "{}")
        for sample in samples:
            log.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
    return out.getvalue()


def log_of(path: Path, content: bytes | str | Iterable[Row]) -> Log:
    if isinstance(content, bytes | str):
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in content), "utf-8")
    found: Log | None = read_recording(path).log
    assert found is not None
    return found


def told(log: Log) -> list[tuple[str, int, str]]:
    """Item, draw and words of each reply, or why there is none."""
    return [(row.item, row.sample, row.reply.text if row.reply else row.failed or row.left_out) for row in log.rows]


def test_inspects_epochs_are_draws_and_its_errors_and_limits_keep_their_meaning(tmp_path: Path) -> None:
    samples = [
        inspect_sample(said="A"),
        inspect_sample(epoch=2, said="<think>hm</think>B", stop="max_tokens"),
        inspect_sample(7, said="", stop="content_filter"),
        inspect_sample("broken", error={"message": "no route", "traceback": "", "traceback_ansi": ""}),
        {**inspect_sample("cut"), "output": {"model": "m", "choices": []}},
    ]
    log = log_of(tmp_path / "log.eval", inspect_zip(*samples))
    assert told(log) == [("q-1", 0, "A"), ("q-1", 1, "B"), ("7", 0, ""), ("broken", 0, "no route"),
                         ("cut", 0, "no output")]  # fmt: skip
    cut, refused = log.rows[1].reply, log.rows[2].reply
    assert cut is not None
    assert (cut.finish, cut.reasoning, cut.refusal) == ("length", "hm", False)
    assert refused is not None
    assert refused.refusal
    whole = json.dumps({"eval": {}, "status": "success", "samples": samples})
    assert told(log_of(tmp_path / "log.json", whole)) == told(log)


def test_inspects_attachments_are_put_back_and_the_last_question_counts(tmp_path: Path) -> None:
    sample = inspect_sample(
        said="attachment://a1",
        input=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "attachment://b2"}],
        messages=[{"role": "user", "content": [{"type": "text", "text": "Say: attachment://b2"}]}],
        attachments={"a1": "Certainly.", "b2": "Which one?"},
    )
    (row,) = log_of(tmp_path / "log.eval", inspect_zip(sample)).rows
    assert row.asked == ("Which one?", "Say: Which one?")
    assert row.reply == reply_of("Certainly.", model="m")


def test_a_filter_of_lm_eval_adds_no_reply_and_repeats_are_draws(tmp_path: Path) -> None:
    row = {"doc_id": 3, "doc": {"id": "q-3"}, "arguments": {"gen_args_0": {"arg_0": "Which?", "arg_1": {}}},
           "resps": [["A", "B"]], "filter": "strict"}  # fmt: skip
    log = log_of(tmp_path / "samples_x.jsonl", [row, {**row, "filter": "loose"}])
    assert told(log) == [("3", 0, "A"), ("3", 1, "B")]
    assert (log.rows[0].asked, log.rows[0].aliases) == (("Which?",), ("q-3",))


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        ([["Which?", {"until": []}]], ("Which?",)),
        ({"gen_args_0": {"arg_0": '[{"role": "user", "content": "Which?"}]'}}, ("Which?",)),
        ({"gen_args_0": {"arg_0": ['[{"role": "user", "content": "Which?"}]']}}, ("Which?",)),
        ({"gen_args_0": {"arg_0": "[not JSON"}}, ("[not JSON",)),
        (None, ()),
        ({}, ()),
        ([], ()),
    ],
)
def test_the_words_asked_by_lm_eval_are_found_in_each_of_its_forms(arguments: object, asked: tuple[str, ...]) -> None:
    (row,) = lm_eval.read_row({"doc_id": 1, "resps": [["A"]], "arguments": arguments}, "x:1")
    assert row.asked == asked


def test_log_likelihoods_without_the_words_they_are_of_are_left_out(tmp_path: Path) -> None:
    row = {"doc_id": 3, "doc": {}, "arguments": {}, "resps": [[["-1.2", "False"]], [["-0.3", "True"]]]}
    assert told(log_of(tmp_path / "s.jsonl", [row, {**row, "doc_id": 4, "resps": [["A"]]}])) == [
        ("3", 0, NO_WORDS), ("4", 0, "A"),
    ]  # fmt: skip


def test_helms_completions_are_draws_and_failed_requests_are_errors(tmp_path: Path) -> None:
    def state(item: str, result: object, **other: Any) -> Row:
        return {"instance": {"id": item, "input": {"text": "Which?"}, **other.pop("instance", {})},
                "request": {"model": "m", "prompt": "Question: Which?\nAnswer:"}, "train_trial_index": 0,
                "result": result, **other}  # fmt: skip

    good = {"success": True, "completions": [{"text": " A", "finish_reason": {"reason": "length"}}, {"text": "B"}]}
    states = [
        state("id1", good),
        state("id2", {"success": False, "completions": [], "error": "429"}),
        state("id1", good, instance={"perturbation": {"name": "typos"}}),
        state("id3", good, reference_index=1),
    ]
    log = log_of(tmp_path / "scenario_state.json", json.dumps({"adapter_spec": {}, "request_states": states}))
    assert told(log) == [("id1", 0, " A"), ("id1", 1, "B"), ("id2", 0, "429"),
                         ("id1", 0, "questions that a perturbation changed"),
                         ("id3", 0, NO_WORDS)]  # fmt: skip
    assert log.rows[0].asked == ("Question: Which?\nAnswer:", "Which?")
    assert log.rows[0].reply == reply_of(" A", finish="length", model="m")


def test_a_row_of_every_eval_ever_for_each_figure_is_one_reply(tmp_path: Path) -> None:
    row = {"schema_version": "0.3.0", "evaluation_id": "e", "model_id": "m", "evaluation_name": "a",
           "sample_id": "q-1#1", "interaction_type": "single_turn", "input": {"raw": "Which?", "reference": []},
           "output": {"raw": ["A"], "reasoning_trace": ["hm"]}}  # fmt: skip
    talk = {**row, "sample_id": "q-2", "interaction_type": "multi_turn", "output": None,
            "messages": [{"turn_idx": 0, "role": "user", "content": "Which?"},
                         {"turn_idx": 1, "role": "assistant", "content": "B"}]}  # fmt: skip
    failed = {**row, "sample_id": "q-3", "error": "timeout"}
    older = {**row, "sample_id": 4, "output": {"raw": "C"}, "metadata": {"finish": "length"}}
    log = log_of(tmp_path / "x_samples.jsonl", [row, {**row, "evaluation_name": "b"}, talk, failed, older])
    assert told(log) == [("q-1", 1, "A"), ("q-2", 0, "B"), ("q-3", 0, "timeout"), ("4", 0, "C")]
    assert log.rows[-1].reply == reply_of("C", finish="length", model="m")
    assert log.rows[0].reply == reply_of("A", reasoning="hm", model="m")


BATCHES: dict[str, list[Row]] = {
    "openai": [
        {"id": "b", "custom_id": "q-1", "error": None, "response": {"status_code": 200, "body": {
            "model": "m", "choices": [{"message": {"content": "A"}, "finish_reason": "length"},
                                      {"message": {"content": "B"}, "finish_reason": "stop"}]}}},
        {"id": "b", "custom_id": "q-2", "response": None, "error": {"code": "batch_expired", "message": "late"}},
        {"id": "b", "custom_id": "q-3", "error": None,
         "response": {"status_code": 400, "body": {"error": {"code": "bad", "message": "too long"}}}},
        {"id": "b", "custom_id": "q-4", "error": None, "response": {"status_code": 200, "body": {}}},
    ],
    "anthropic": [
        {"custom_id": "q-1", "result": {"type": "succeeded", "message": {"model": "m", "stop_reason": "max_tokens",
         "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "A"}]}}},
        {"custom_id": "q-2", "result": {"type": "expired"}},
        {"custom_id": "q-3", "result": {"type": "errored", "error": {"type": "error", "error": {
            "type": "invalid_request_error", "message": "no"}}}},
        {"custom_id": "q-4", "result": {"type": "succeeded", "message": {"content": [], "stop_reason": "refusal"}}},
    ],
    "gemini": [
        {"key": "q-1", "response": {"modelVersion": "m", "candidates": [{"finishReason": "MAX_TOKENS", "content": {
            "role": "model", "parts": [{"text": "hm", "thought": True}, {"text": "A"}]}}]}},
        {"key": "q-2", "error": {"code": 8, "message": "late"}},
        {"key": "q-3", "response": {}},
        {"key": "q-4", "response": {"promptFeedback": {"blockReason": "SAFETY"}}},
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("of", "replies"),
    [
        ("openai", [("q-1", 0, "A"), ("q-1", 1, "B"), ("q-2", 0, "batch_expired: late"),
                    ("q-3", 0, "http 400: bad: too long"), ("q-4", 0, "no choice in the body")]),
        ("anthropic", [("q-1", 0, "A"), ("q-2", 0, "expired"), ("q-3", 0, "http 400: invalid_request_error: no"),
                       ("q-4", 0, "")]),
        ("gemini", [("q-1", 0, "A"), ("q-2", 0, "http 429: 8: late"), ("q-3", 0, "no choice in the body"),
                    ("q-4", 0, "")]),
    ],
)  # fmt: skip
def test_results_of_batches_keep_cuts_refusals_errors_and_expiries(
    of: str, replies: list[tuple[str, int, str]], tmp_path: Path
) -> None:
    log = log_of(tmp_path / "out.jsonl", BATCHES[of])
    assert told(log) == replies
    cut, last = log.rows[0].reply, log.rows[-1].reply
    assert cut is not None
    assert (cut.finish, cut.model) == ("length", "m")
    assert (last is not None and last.refusal) == (of != "openai")
    assert log_of(tmp_path / "out.json", json.dumps(BATCHES[of])).rows[0].reply == cut


def test_a_request_named_by_item_and_draw_is_that_draw(tmp_path: Path) -> None:
    rows = [{**BATCHES["anthropic"][0], "custom_id": f"q-1#{draw}"} for draw in (1, 0)]
    assert told(log_of(tmp_path / "out.jsonl", rows)) == [("q-1", 1, "A"), ("q-1", 0, "A")]


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("x.eval", b"", "a damaged zip"),
        ("x.eval", b"not a zip at all", "a damaged zip"),
        ("x.bin", inspect_zip(inspect_sample())[:-30], "a damaged zip"),
        ("x.eval", inspect_zip(), "a zip without samples/"),
        ("x.eval", inspect_zip({"id": 1, "epoch": 1}), "samples/1_epoch_1.json: not a sample of Inspect's log"),
        ("x.eval", inspect_zip(inspect_sample(epoch="one")), "not a sample of Inspect's log"),  # type: ignore[arg-type]
        ("x.json", '{"request_states": []}', "no replies; expected HELM's"),
        ("x.json", '{"request_states": [{"instance": {}}]}', "request state 1: not a request state of HELM"),
        ("x.json", '{"eval": {}, "status": "error", "samples": [7]}', "sample 1: not a sample of Inspect's log"),
        ("x.jsonl", '{"doc_id": 1, "resps": "A"}', ":1: not a row of lm-evaluation-harness's samples"),
        ("x.jsonl", '{"custom_id": 4, "result": {"type": "expired"}}', ":1: not a row of Anthropic's"),
        ("x.jsonl", '{"key": "a", "error": {}}\n{"key": "a", "error": {"code": 1}}', ":2: a second reply for item 'a'"),
        ("x.jsonl", '{"id": "a", "verdict": "b"}', "HELM (scenario_state.json)"),
    ],
)
def test_a_damaged_or_unknown_log_is_refused_in_one_line(
    name: str, content: bytes | str, why: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as error:
        read_recording(path)
    assert why in str(error.value)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def marked(data: bytes, method: int) -> bytes:
    """A zip whose files are said to be packed by another method."""
    found, spot = bytearray(data), -1
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        while (spot := found.find(mark, spot + 1)) >= 0:
            found[spot + offset] = method
    return bytes(found)


def test_a_zip_packed_by_what_is_not_read_here_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "x.eval").write_bytes(marked(inspect_zip(inspect_sample()), 97))
    with pytest.raises(InputError, match="inspect log convert --to json"):
        read_recording(tmp_path / "x.eval")


def by_zstandard(*files: tuple[str, bytes]) -> bytes:
    """A zip of Zstandard, as Inspect writes one: Python's own knows none before 3.14."""
    zstandard = pytest.importorskip("zstandard")
    out = io.BytesIO()
    packed = [(name, data, zstandard.ZstdCompressor().compress(data)) for name, data in files]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as log:
        for name, _, data in packed:
            log.writestr(name, data)
        for entry, (_, data, _) in zip(log.filelist, packed, strict=True):
            entry.file_size, entry.CRC = len(data), zlib.crc32(data)
    return marked(out.getvalue(), 93)


def test_a_zip_that_inspect_packed_by_zstandard_reads_as_any_other(tmp_path: Path) -> None:
    sample = json.dumps(inspect_sample(said="a" * 9_000)).encode()
    (tmp_path / "x.eval").write_bytes(by_zstandard(("samples/1_epoch_1.json", sample)))
    (tmp_path / "y.eval").write_bytes(inspect_zip(inspect_sample(said="a" * 9_000)))
    found, other = (read_recording(tmp_path / name).log for name in ("x.eval", "y.eval"))
    assert found is not None
    assert other is not None
    assert [row.reply for row in found.rows] == [row.reply for row in other.rows]


def test_a_damaged_zip_of_zstandard_is_an_odd_row_as_any_other(tmp_path: Path) -> None:
    (tmp_path / "x.eval").write_bytes(marked(inspect_zip(inspect_sample()), 93))
    with pytest.raises(InputError, match="damaged"):
        read_recording(tmp_path / "x.eval")


def test_a_sample_that_could_not_be_graded_is_read_though_its_score_is_no_number(tmp_path: Path) -> None:
    nan = {"s": {"value": {"accuracy": float("nan")}}}
    log = log_of(tmp_path / "x.eval", inspect_zip(inspect_sample(scores=nan), inspect_sample("q-2", scores={})))
    assert [(row.item, row.score, row.left_out) for row in log.rows] == [("q-1", None, ""), ("q-2", None, "")]


@pytest.mark.parametrize(
    ("value", "points"),
    [("C", 1), ("P", 0.5), ("I", 0), (0.25, 0.25), (True, 1), ({"a": 0.5}, 0.5), (["C", "I"], None)],
)
def test_a_log_says_the_points_that_it_gave_each_reply(value: object, points: float | None, tmp_path: Path) -> None:
    log = log_of(tmp_path / "x.eval", inspect_zip(inspect_sample(scores={"match": {"value": value}})))
    assert [row.score for row in log.rows] == [points]


def test_a_sample_that_claims_to_be_huge_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mores.models.logs.inspect_log.LARGEST", 1_000)
    (tmp_path / "x.eval").write_bytes(inspect_zip(inspect_sample(said="a" * 2_000)))
    with pytest.raises(InputError, match="expected a sample of at most 1,000"):
        read_recording(tmp_path / "x.eval")


def counted(counts: ReplyCounts) -> dict[str, int]:
    """The counts that are not zero."""
    names = ("by_name", "by_words", "by_contents", "in_other_words", "ambiguous", "unmatched", "left_out", "missing")
    return {name: getattr(counts, name) for name in names if getattr(counts, name)}


def row(item: str, *asked: str, sample: int = 0, left_out: str = "") -> Logged:
    said = None if left_out else reply_of(f"to {item}")
    return Logged(where="x", item=item, sample=sample, asked=asked, reply=said, left_out=left_out)


RICE = LoggedQuestion("q-1", "Here is a question.\nDo they eat rice there?\nYes or no?", ("Do they eat rice there?",))
BREAD = LoggedQuestion(
    "q-2", "Here is a question.\nDo they eat bread there?\nYes or no?", ("Do they eat bread there?",)
)


def matched(*rows: Logged, samples: int = 1) -> tuple[dict[str, str], dict[str, int]]:
    """The log's item for each question, and the counts."""
    matching = match(Log("x", rows), [RICE, BREAD], samples)
    return {item: found.item for (item, _), found in matching.rows.items()}, counted(matching.counts)


def test_a_name_goes_before_words_and_other_words_are_told() -> None:
    found, counts = matched(row("q-1", BREAD.words), row("q-2", BREAD.words))
    assert found == {"q-1": "q-1", "q-2": "q-2"}
    assert counts == {"by_name": 2, "in_other_words": 1}


def test_the_words_asked_match_whatever_their_white_space() -> None:
    assert matched(row("7", RICE.words.replace("\n", " \n\n ")), row("8", "Something else.")) == (
        {"q-1": "7"}, {"by_words": 1, "unmatched": 1, "missing": 1})  # fmt: skip


def test_a_question_within_another_template_matches_by_what_fills_ours() -> None:
    found, counts = matched(row("7", "Q: Do they eat  rice there?\nA:"), row("8", f"<user>{BREAD.words}</user>"))
    assert found == {"q-1": "7", "q-2": "8"}
    assert counts == {"by_contents": 2}


def test_several_that_could_be_meant_are_refused_and_counted() -> None:
    assert matched(row("7", RICE.words), row("8", RICE.words)) == ({}, {"ambiguous": 2, "missing": 2})
    assert matched(row("7", f"Q: {RICE.parts[0]}"), row("8", f"A. {RICE.parts[0]}"))[1]["ambiguous"] == 2


def test_draws_go_with_their_item_and_those_past_what_is_asked_are_not_used() -> None:
    found, counts = matched(*(row("q-1", sample=draw) for draw in range(3)), row("z", left_out="weighed"), samples=2)
    assert found == {"q-1": "q-1"}
    assert counts == {"by_name": 2, "unmatched": 1, "left_out": 1, "missing": 2}


def test_the_order_of_a_log_changes_nothing() -> None:
    rows = [row("7", RICE.words), row("q-2"), row("9", "Do they eat rice there?"), row("q-2", sample=1)]
    assert matched(*rows, samples=2) == matched(*reversed(rows), samples=2)
