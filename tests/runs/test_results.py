"""What plays leave stands in the order of the plan, however they end and however large they are."""

from itertools import permutations
from pathlib import Path

import pytest

from mores.core.transcript import ItemMetadata, ReplyEvent, Transcript
from mores.core.verdict import Graded, JudgeAnswer, Vote, in_order
from mores.runs import evaluation
from mores.runs.evaluation import LARGE, ROOM, TRANSCRIPTS, VERDICTS, VOTES, ResultWriter


def left(folder: Path, order: tuple[int, ...], words: int) -> list[bytes]:
    folder.mkdir()
    kept = ResultWriter(folder, judged=True)
    for number in order:
        said = f"Answer {number}. " * words
        transcript = Transcript(item=f"i-{number}", sample=0, events=(ReplyEvent(role="subject", text=said),))
        about = ItemMetadata(item=f"i-{number}", unit=f"i-{number}", cluster="c")
        vote = Vote(item=f"i-{number}", sample=0, task="t", judge="judge", draw=0, prompt="p",
                    said={f"n-{n}": JudgeAnswer(label="yes", reason=said[:40]) for n in range(words)})  # fmt: skip
        kept.put(number, transcript, (Graded(about=about, sample=0, task="t", points=1.0),), in_order([vote]))
    kept.finish()
    assert kept.written == len(order)
    return [(folder / name).read_bytes() for name in (TRANSCRIPTS, VERDICTS, VOTES)]


@pytest.mark.parametrize(("words", "room"), [(1, ROOM), (2000, ROOM), (2000, 4 * LARGE), (2000, 0)])
def test_the_order_in_which_plays_end_leaves_no_trace(
    words: int, room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "ROOM", room)
    orders = list(permutations(range(4)))
    found = [left(tmp_path / f"{place}", order, words) for place, order in enumerate(orders)]
    assert all(each == found[0] for each in found)
    assert (len(found[0][0]) > 4 * LARGE) == (words > 1)
    assert found[0][0].count(b"\n") == 4
