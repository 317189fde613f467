"""A studio with something on every page, and the list of its pages: for pictures, and for tests that open them all."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mores.studio.accounts.links import join, make_token
from mores.studio.accounts.screening import Facts, screen
from mores.studio.flows.registry import flow_named, flows
from mores.studio.models import Account, Draft, Guideline, Item, Job, Participant, Project, Role
from mores.studio.work.claim import Claim, claim
from mores.studio.work.items import NewItem, add_items
from tests.studio import made
from tests.studio.doing import claimed, stored

Say = Callable[[str], str]
QUESTION = "A guest comes to a home where the family is about to eat. What do most families do?"
OPTIONS = (
    "They ask the guest to join, and set a place before an answer is given.",
    "They eat later, once the guest has left.",
    "They go on eating, and offer tea.",
    "They ask the guest to come back on another day.",
)
PAGE = "0" * 32
MANAGED = ("guidelines", "invite", "import", "setup", "progress", "audit", "members", "payments", "studies", "prolific")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A page as somebody comes to it: signed in or not, with a button pressed that it then has."""

    name: str
    path: str
    who: Account | None = None
    press: str = ""


def planted(say: Say = str) -> list[Shown]:
    """Every page of a studio that is in use; `say` is what people and models there say instead."""
    owner = Account.objects.make(say("Amina"), is_owner=True)
    return [*_doors(), *_projects(owner, say), *_work(owner, say)]


def _doors() -> Iterator[Shown]:
    yield Shown(name="sign-in", path="/sign-in")
    yield Shown(name="sign-in-wrong", path="/sign-in", press="form.narrow button")
    yield Shown(name="enter-studio", path=f"/enter/{make_token(None, Role.OWNER, hours=1)}")
    yield Shown(name="gone", path="/enter/none")


def _projects(owner: Account, say: Say) -> Iterator[Shown]:
    nobody = Account.objects.make(say("Noor"))
    yield Shown(name="home-empty", path="/", who=nobody)
    yield Shown(name="home", path="/", who=owner)
    yield Shown(name="new", path="/new", who=owner)
    for page in ("accounts", "audit", "password"):
        yield Shown(name=page, path=f"/{page}", who=owner)
    yield Shown(name="new-wrong", path="/new", who=owner, press="main form button")
    yield Shown(name="missing", path="/p/none/", who=owner)
    yield Shown(name="refused", path="/new", who=nobody)
    for flow in flows().values():
        project = Project.objects.create(
            slug=flow.name, name=say(f"{flow.title} · tables of Japan"), flow=flow.name, quota=2
        )
        for role in Role:
            join(project, owner, role)
        _guidelines(project, say)
        here = f"/p/{flow.name}"
        if flow.name == "check":
            yield Shown(name="screening", path=f"{here}/screening", who=owner)
            yield Shown(name="screening-wrong", path=f"{here}/screening", who=owner, press="main form button")
            yield Shown(name="enter", path=f"/enter/{make_token(project, Role.ANNOTATOR, hours=1)}")
            yield Shown(name="enter-signed-in", path=f"/enter/{make_token(project, Role.OWNER, hours=1)}", who=nobody)
            for page in MANAGED:
                yield Shown(name=f"project-{page}", path=f"{here}/{page}", who=owner)
            yield Shown(name="invite-link", path=f"{here}/invite", who=owner, press="main form button")
        yield Shown(name=f"{flow.name}-project", path=f"{here}/", who=owner)


def _guidelines(project: Project, say: Say) -> None:
    for kind in Guideline.Kind:
        words = "Speak of what most people do where you grew up.\n\nWhere you are not sure, say that you do not know."
        Guideline.objects.create(project=project, kind=kind, version=1, text=say(words))


def _work(owner: Account, say: Say) -> Iterator[Shown]:
    """Pages of the flows, for people who were let in."""
    for flow in flows().values():
        project = Project.objects.get(slug=flow.name)
        _questions(project, say)
        person = _person(project, say(f"Kenji {flow.name}"))
        _used(project, person, say)
        for route in flow.routes:
            if "<" not in route.path and not route.path.endswith("draft"):
                yield Shown(name=f"{flow.name}-{route.name}", path=f"/p/{flow.name}/{route.path}", who=person.account)
        found = claim(person.pk, project.pk)
        if isinstance(found, Claim):
            here = f"/p/{flow.name}/work"
            yield Shown(name=f"{flow.name}-work", path=here, who=person.account)
            yield Shown(name=f"{flow.name}-wrong", path=here, who=person.account, press="#answer .actions button")
            yield Shown(name=f"{flow.name}-skipped", path=here, who=person.account, press="[data-key=s]")
    nothing = made.project("nothing")
    yield Shown(name="nothing-left", path="/p/nothing/work", who=_person(nothing, say("Aiko")).account)


def _person(project: Project, name: str) -> Participant:
    account = Account.objects.make(name[:80])
    for role in Role:
        join(project, account, role)
    person = Participant.objects.get(project=project, account=account)
    screen(person, Facts(nationality="JP", residence_before_18="JP"))
    person.refresh_from_db()
    return person


def _questions(project: Project, say: Say) -> None:
    options = [f"{n} {say(words)}" for n, words in enumerate(OPTIONS)]
    asked: dict[str, object] = {"question": say(QUESTION), "options": options}
    writer = {"holds": ["a"], "common": "4", "knows": "5", "situation": say("A guest comes at the hour of a meal.")}
    payloads = {"check": asked, "write": asked | {"writer": writer}}
    if project.flow in payloads:
        rows = [NewItem(key=f"q{n}", payload=payloads[project.flow], region="JP") for n in range(12)]
        add_items(project, rows, who=None, state=flow_named(project.flow).begins)


def _used(project: Project, person: Participant, say: Say) -> None:
    """Some answers of others, and what models said to somebody who writes."""
    if project.flow == "check":
        for number in range(2):
            other = _person(project, say(f"Other {number}"))
            stored(other, claimed(other), "a", "b")
    if project.flow == "write":
        Item.objects.filter(project=project).update(state=Item.State.WAITING)
        options = dict(zip("abcd", map(say, OPTIONS), strict=True))
        typed = {"situation": say("A guest comes at the hour of a meal."), "question": say(QUESTION), **options}
        body = {"page": [PAGE], "holds": ["a"], **{name: [words] for name, words in typed.items()}}
        Draft.objects.create(project=project, account=person.account, name="write", rev=1, body=body)
        _helped(project, person, say, {"question": say(QUESTION), **options, "holds": ["a"]})


def _helped(project: Project, person: Participant, say: Say, draft: dict[str, object]) -> None:
    said: dict[str, dict[str, object]] = {
        "hint": {"hints": [say("Who pours tea, and for whom?"), say("What is said at the door?")]},
        "draft": draft,
        "verify": {"holds": ["b"], "confidence": 85, "why": say("Families keep their hours.")},
        "revise": draft,
    }
    for kind, words in said.items():
        Job.objects.create(
            project=project, account=person.account, about=PAGE, kind=kind, key=kind, state=Job.State.ANSWERED,
            model=say("simulated/typical"), request={"question": say(QUESTION)}, response={"said": words},
        )  # fmt: skip
    for state in (Job.State.REFUSED, Job.State.FAILED):
        Job.objects.create(
            project=project, account=person.account, about=PAGE, kind="revise", key=state, state=state, request={}
        )
