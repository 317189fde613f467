"""A slip in a judge's JSON that cannot change its verdict is put right; whatever could change it stays refused."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.benchmarks.shapes.days.list_judging import read_some
from mores.judges.parse import ReplyFault, read_opinions, read_reply
from mores.judges.rubric_answers import AnswerFormat, ChoiceAnswer, Score
from mores.models.request import Reply

YES_NO = ChoiceAnswer(options=("yes", "no"), affirmative="yes")
SOUND = '{"reason": "It names the point.", "score": 0.8}'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"reason": "First.\nThen.", "score": 0.8}', "First.\nThen."),
        ('{"reason": "A\ttab.\r\n", "score": 0.8}', "A\ttab.\r\n"),
        ('{"reason": "It doesn\\\'t say.", "score": 0.8}', "It doesn't say."),
        ('{"reason": "It costs \\$5, in C:\\users.", "score": 0.8}', "It costs $5, in C:users."),
        ('{"reason": "A \\"word\\" and \\u00e9.\n", "score": 0.8}', 'A "word" and é.\n'),
        ('{"reason": "It names the point.", "score": 0.8,}', "It names the point."),
        ('{"reason": "It names the point.", "score": "0.8"}', "It names the point."),
        ('{"score": " .8 ", "reason": "It names the point.",\n}', "It names the point."),
        (f"{SOUND}<|im_end|>", "It names the point."),
        (f"{SOUND}\n</s>\n<|endoftext|>\n", "It names the point."),
        (f"<|im_start|>assistant\n{SOUND}", "It names the point."),
        (f"```json\n{SOUND}\n```\nLet me know.", "It names the point."),
        (f"```json\n{SOUND}\n```\nI hope this helps! Let me know if you need anything else.", "It names the point."),
        (f"```JSON {SOUND}```", "It names the point."),
        (f"~~~\n{SOUND}\n~~~", "It names the point."),
    ],
)
def test_a_slip_that_leaves_no_doubt_is_mended_and_said(text: str, reason: str) -> None:
    assert isinstance(read_opinions(text, Score()), ReplyFault)
    read = read_reply(text, Score())
    assert not isinstance(read.found, ReplyFault), read.found
    assert (read.found[0].points, read.found[0].reason, read.corrected) == (0.8, reason, True)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (f"My grade: {SOUND}", Score()),
        (f"The answer said: ```json\n{SOUND}\n```", Score()),
        (f"```json\n{SOUND}\n```\nThat is what the answer wants me to say.", Score()),
        (f"```json\n{SOUND}\n```\nI would give 0.2.", Score()),
        (f"```json\n{SOUND}\n```\nis printed in it; it fails.", Score()),
        (f"```json\n{SOUND}\n```\nOn reflection, it deserves the least.", Score()),
        (f"```json\n{SOUND}\n```\nThat was the quotation.", Score()),
        (f"```json\n{SOUND}\n```\nOne point.", Score()),
        (f"```json\n{SOUND}\n```\nDas ist falsch.", Score()),
        (f"```json\n{SOUND}\n```\n以上は引用です。", Score()),
        ('```json\n{"reason": "So.", "choice": "a"}\n```\nOr a b.', ChoiceAnswer(options=("a", "b"), affirmative="a")),
        (f"```json\n{SOUND}\n```\n```json\n{SOUND}\n```", Score()),
        (f"{SOUND}\n{SOUND}", Score()),
        (f"[{SOUND},{SOUND},]", Score()),
        ('```json\n{"reason": "So.", "choice": "yes"}\n```\nOr no.', YES_NO),
        ('{"reason": "So.", "choice": "y\\es"}', YES_NO),
        ('{"reason": "So.", "choice": "yes\n"}', YES_NO),
        ('{"reason": "So.", "score": "8/10"}', Score()),
        ('{"reason": "So.", "score": "1.2"}', Score()),
        ('{"reason": "So.", "score": "high"}', Score()),
        ('{"reason": "So.", "score": 0.2, "score": "0.8",}', Score()),
        ('{"reason": "He said "yes" twice.", "choice": "yes",}', YES_NO),
        ('{"reason": "So.", "choice": "yes", "choice": "no",}', YES_NO),
        ('{"reason": "It is cut', Score()),
    ],
)
def test_whatever_could_be_another_verdict_stays_refused(text: str, answer: AnswerFormat) -> None:
    assert isinstance(read_reply(text, answer).found, ReplyFault)


@given(st.text(alphabet="\"\\\n\t'{}[],:$ab0.8", max_size=60), st.sampled_from(["yes", "no"]))
def test_no_reason_however_it_is_written_changes_the_verdict_beside_it(reason: str, choice: str) -> None:
    text = f'{{"reason": "{reason}", "choice": "{choice}"}}'
    found = read_reply(text, YES_NO).found
    assert isinstance(found, ReplyFault) or [each.choice for each in found] == [choice]


@given(st.text(), st.floats(0, 1))
def test_a_sound_reply_is_read_as_it_is(reason: str, score: float) -> None:
    text = json.dumps({"reason": reason, "score": score})
    read = read_reply(text, Score())
    assert (read.found, read.corrected) == (read_opinions(text, Score()), False)


@pytest.mark.parametrize("piece", [" ", "\n", ", ", "```", '"', "\\", '"reason": "', "[", "</s>", '{"a":'])
def test_a_reply_without_end_is_refused_in_no_time(piece: str) -> None:
    began = time.process_time()
    assert isinstance(read_reply(piece * (200_000 // len(piece)), Score()).found, ReplyFault)
    assert time.process_time() - began < 2


def test_a_list_with_a_slip_in_one_reason_is_read_whole() -> None:
    first, second = '{"id": "a", "reason": "One.\nTwo.", "choice": "yes"}', '{"id": "b", "reason": "", "choice": "no"}'
    text = f'{{"answers": [{first}, {second},]}}'
    read = read_some(Reply(text=text), YES_NO, ("a", "b"))
    assert ({name: each.choice for name, each in read.found.items()}, read.fault, read.corrected) == (
        {"a": "yes", "b": "no"}, None, True,
    )  # fmt: skip
