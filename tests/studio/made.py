"""Projects, questions and people for tests."""

from pathlib import Path

from mores.studio.accounts.links import join
from mores.studio.accounts.screening import ScreeningFacts, screen
from mores.studio.models import Account, Participant, Project, Role
from mores.studio.work.items import NewItem, add_items


def project(slug: str = "feasts", *, flow: str = "check", quota: int = 5, lease_minutes: int = 60) -> Project:
    """A project."""
    return Project.objects.create(slug=slug, name=slug.title(), flow=flow, quota=quota, lease_minutes=lease_minutes)


def questions(into: Project, count: int, *, region: str = "JP", author: Account | None = None) -> None:
    """So many questions of four options."""
    payloads = [
        {"question": f"What do people do at feast {n}?", "options": [f"Custom {n}-{letter}" for letter in "abcd"]}
        for n in range(count)
    ]
    rows = [
        NewItem(key=f"q{n}", payload=payload, region=region, author=None if author is None else author.pk)
        for n, payload in enumerate(payloads)
    ]
    add_items(into, rows, who=None)


def annotators(of: Project, count: int, *, region: str = "JP", name: str = "annotator") -> list[Participant]:
    """So many people of a region who were screened and may work."""
    people = []
    for number in range(count):
        account = Account.objects.make(f"{name}-{number}")
        join(of, account, Role.ANNOTATOR)
        person = Participant.objects.get(project=of, account=account)
        screen(person, ScreeningFacts(nationality=region, residence_before_18=region))
        person.refresh_from_db()
        people.append(person)
    return people


def question_file(folder: Path, count: int, country: str = "Japan") -> Path:
    """A file of questions to import."""
    path = folder / "questions.csv"
    options = ",".join(f"prompt_option_{letter}" for letter in "abcd")
    rows = [f"{n},What is done at feast {n}?,Song {n},Dance {n},Meal {n},Silence {n},{country}" for n in range(count)]
    path.write_text("\n".join([f"question_idx,prompt_question,{options},country", *rows]) + "\n")
    return path
