"""People who answer all there is, through the flow of the project; and commands as people type them."""

from collections.abc import Callable, Mapping
from pathlib import Path

from mores.studio.config import StudioConfig
from mores.studio.flows.closing import close_item
from mores.studio.flows.fields import Posted, PostedForm
from mores.studio.flows.flow import flow_named
from mores.studio.models import Assignment, Participant
from mores.studio.work.leases import Lease, claim
from mores.studio.work.submit import AnswerSubmission, Submitted, submit
from tests.runs.conduct import Done, mores

Chooses = Callable[[str, Mapping[str, object]], Posted]


def answer_all(person: Participant, chooses: Chooses) -> list[str]:
    """The keys of what a person was given, in order; `chooses` says what is posted for a key and its words."""
    given = []
    while isinstance(held := claim(person.pk, person.project_id), Lease):
        work = Assignment.objects.select_related("item", "shown").get(pk=held.assignment)
        flow = flow_named(person.project.flow)
        read = flow.answer(flow.sheet(work.shown.payload, person.project), chooses(work.item.key, work.shown.payload))
        assert isinstance(read, PostedForm), read
        sending = AnswerSubmission(
            assignment=held.assignment, participant=person.pk, answer=read.values, key=f"k{work.pk}"
        )
        stored = submit(sending)
        assert isinstance(stored, Submitted), stored
        if stored.completed is not None:
            close_item(stored.completed)
        given.append(work.item.key)
    return given


def typed(*words: object) -> Done:
    """What a command that people type says; it succeeds."""
    done = mores(*words, cwd=Path.cwd(), seconds=120)
    assert done.returncode == 0, done.stderr
    return done


def of_studio(config: StudioConfig, verb: str, *words: object) -> Done:
    """A command of `mores studio` on this studio."""
    database = ["--database", config.database] if config.database else []
    return typed("studio", verb, "--folder", config.folder, *database, *words)
