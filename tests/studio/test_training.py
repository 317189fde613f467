"""Training comes first and teaches, attention checks come among the work, and neither is data."""

import json
from pathlib import Path

import pytest
from django.test import Client

from mores.core.errors import InputError
from mores.studio.flows.importing import import_file
from mores.studio.flows.labels import write_labels
from mores.studio.models import ItemVersion, WorkItem
from mores.studio.work.records import read_items
from tests.studio import made
from tests.studio.answering import answer_all
from tests.studio.conftest import BOTH


def work_list(folder: Path, work: int, *more: str) -> Path:
    """A list of things to label, and rows for training and attention."""
    path = folder / "list.csv"
    rows = [f"w{n},awareness,Is it so? {n},yes | no,,," for n in range(work)]
    path.write_text("\n".join(["id,task,words,options,kind,expected,feedback", *rows, *more]) + "\n")
    return path


TRAINING = "t1,awareness,Learn this,yes | no,training,yes,<b>Because it is so.</b>"
CHECKS = [f"c{n},awareness,Say no,yes | no,attention,no," for n in range(3)]


@BOTH
def test_training_comes_first_and_a_check_after_each_ten_answers(studio: object, tmp_path: Path) -> None:
    project = made.project(flow="label", quota=1)
    import_file(project, work_list(tmp_path, 25, TRAINING, *CHECKS))
    one, other = made.annotators(project, 2)
    given = answer_all(one, lambda _key, _words: {"label": ["no"]})
    assert given[0] == "t1"
    assert [number for number, key in enumerate(given) if key[0] == "c"] == [11, 22]
    assert len(given) == 28
    # Everybody learns, however many did before.
    assert answer_all(other, lambda _key, _words: {"label": ["no"]}) == ["t1"]


def test_neither_is_among_the_labels(studio: object, tmp_path: Path) -> None:
    project = made.project(flow="label", quota=1)
    import_file(project, work_list(tmp_path, 1, TRAINING))
    answer_all(made.annotators(project, 1)[0], lambda _key, _words: {"label": ["no"]})
    assert len(write_labels(project, read_items(project))["labels.csv"].splitlines()) == 2


def test_what_is_expected_is_in_no_words_and_is_told_after_the_answer(studio: object, tmp_path: Path) -> None:
    project = made.project(flow="label", quota=1)
    import_file(project, work_list(tmp_path, 1, TRAINING))
    assert "Because" not in json.dumps(list(ItemVersion.objects.values_list("payload", flat=True)))
    (person,) = made.annotators(project, 1)
    client = Client()
    client.force_login(person.account, backend="django.contrib.auth.backends.ModelBackend")
    page = client.get("/p/feasts/work", follow=True)
    assert b"Because" not in page.content
    after = client.post(page.redirect_chain[-1][0], {"label": "no", "key": "once"}, follow=True).content.decode()
    assert "another answer is right. &lt;b&gt;Because it is so.&lt;/b&gt;" in after


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("t1,awareness,Learn,yes | no,training,maybe,", "expected is 'maybe'; expected one of yes, no"),
        ("t1,awareness,Learn,yes | no,exam,yes,", "kind is 'exam'; expected training or attention"),
    ],
)
def test_what_cannot_be_expected_is_refused(studio: object, tmp_path: Path, row: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        import_file(made.project(flow="label"), work_list(tmp_path, 1, row))
    assert not WorkItem.objects.exists()
