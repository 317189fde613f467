"""A benchmark in other words: which prompts there are, which words fit them, and that nothing else changes."""

import pytest

from mores.benchmarks import catalogue
from mores.core.errors import InputError, UnknownName
from mores.core.prompt import Wording
from mores.core.transcript import BriefingEvent, DayStartEvent, RequestEvent
from tests.benchmarks.fingerprints import fixed
from tests.benchmarks.plays import Script, perform, tiny

KNOW = "Of [[place]]: [[question]] Is this true: [[statement]]"
HEADER = '+++\nname = "x.y.v1"\nrole = "{role}"\nlanguage = "ka"\norigin = "a colleague"\n+++\n'


def wording(text: str) -> Wording:
    return Wording(text=text, file="mine.md")


@pytest.mark.parametrize("name", catalogue.names())
def test_every_prompt_of_a_benchmark_can_be_put_in_other_words_but_the_forms_of_answers(name: str) -> None:
    own = catalogue.prompts(name)
    words = {key: wording(f"OTHER {prompt.body}") for key, prompt in own.items()}
    other = catalogue.load(name, words)
    assert {p.header.name for p in other.prompts if p.body.startswith("OTHER ")} == {
        p.header.name for p in own.values()
    }
    kept = {p.sha for p in catalogue.load(name).prompts if p.header.role == "form"}
    assert {p.sha for p in other.prompts if not p.body.startswith("OTHER ")} == kept
    assert all("form" not in key.split("/") for key in own)


@pytest.mark.parametrize("name", catalogue.names())
def test_what_is_asked_is_asked_in_the_other_words_and_counted_as_before(name: str) -> None:
    own, setting, items = tiny(name)
    words = {key: wording(f"OTHER {prompt.body}") for key, prompt in catalogue.prompts(name).items()}
    other = catalogue.load(name, words)
    before = [verdicts for _, verdicts in perform(own, setting, items, Script(fixed()))]
    plays = perform(other, setting, other.items(setting), Script(fixed()))
    assert [verdicts for _, verdicts in plays] == before
    shas = {prompt.sha for prompt in other.prompts}
    asked = {
        e.prompt
        for play, _ in plays
        for e in play.events
        if isinstance(e, RequestEvent | BriefingEvent | DayStartEvent)
    }
    assert asked
    assert asked <= shas


def test_a_role_alone_names_its_only_prompt_and_asks_which_where_it_has_several() -> None:
    found = catalogue.load("ladder/know", {"subject": wording(KNOW)})
    assert found.prompts == catalogue.load("ladder/know", {"subject/know": wording(KNOW)}).prompts
    with pytest.raises(InputError, match="--prompt judge: expected one of judge/converse_awareness, judge/converse_c"):
        catalogue.load("ladder/converse", {"judge": wording(KNOW)})
    with pytest.raises(UnknownName, match=r"No prompt is called 'judge'.*Known here: subject/know"):
        catalogue.load("ladder/know", {"judge": wording(KNOW)})


def test_a_header_of_the_words_says_their_language_and_must_be_of_the_role() -> None:
    found, *siblings = catalogue.load("ladder/know", {"subject": wording(HEADER.format(role="subject") + KNOW)}).prompts
    assert set(siblings) == {found}, "whichever language is asked, it is asked in these words"
    plain, *_ = catalogue.load("ladder/know", {"subject": wording(KNOW)}).prompts
    assert (found.header.language, found.header.name, found.sha) == ("ka", "ladder.know.v1", plain.sha)
    with pytest.raises(InputError, match=r"mine.md: its role is 'judge'; expected 'subject'."):
        catalogue.load("ladder/know", {"subject": wording(HEADER.format(role="judge") + KNOW)})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[place]] [[question]]", r"mine.md: no slot \[\[statement\]\]; subject/know has"),
        (f"{KNOW} [[answer]]", r"mine.md: an unknown slot \[\[answer\]\]; subject/know has"),
        ("\n\n", "mine.md: no slot"),
        ("[[place.name]]", "mine.md:1: a slot holds a plain name"),
        ("+++\nname = \n+++\n", "mine.md: header is not TOML"),
    ],
)
def test_words_that_do_not_fit_are_refused_in_a_line(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        catalogue.load("ladder/know", {"subject": wording(text)})
