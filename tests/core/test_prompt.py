"""A prompt is rendered strictly and once: no value is ever read as template."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.core.prompt import Prompt, PromptHeader

HEADER = PromptHeader(name="greet.ask.v1", role="subject", language="en", origin="own")
FILE = '+++\nname = "greet.ask.v1"\nrole = "subject"\nlanguage = "en"\norigin = "own"\n+++\n'


def prompt(body: str, header: PromptHeader = HEADER) -> Prompt:
    return Prompt(header, body)


def test_slots_are_filled_and_all_else_stays() -> None:
    words = prompt("[[who]] meets [[whom]] {{ who }} {% if %} {# x #} $who {0}\n\n [who] [[who]]")
    assert words.slots == {"who", "whom"}
    assert words.render(who="Ama", whom="Kofi") == "Ama meets Kofi {{ who }} {% if %} {# x #} $who {0}\n\n [who] Ama"


@given(st.text(alphabet=st.sampled_from("[]{}%#ab \n\\\ue000"), max_size=30))
def test_a_value_is_put_in_as_it_is(value: str) -> None:
    assert prompt("<[[a]]|[[b]]>").render(a=value, b="[[a]]") == f"<{value}|[[a]]>"


@pytest.mark.parametrize("value", ["[[b]]", "{{ 7 * 7 }}", "{% for x in y %}", "\ue000% if %\ue000", "]]", "\\1", ""])
def test_a_value_that_looks_like_template_is_words(value: str) -> None:
    assert prompt("[[a]][[b]]").render(a=value, b=value) == value + value


def test_no_slot_is_forgotten_and_none_too_many() -> None:
    words = prompt("[[who]] and [[whom]]")
    with pytest.raises(InputError, match=r"^Prompt greet\.ask\.v1: no value for \['whom'\]\.$"):
        words.render(who="Ama")
    with pytest.raises(InputError, match=r"^Prompt greet\.ask\.v1: no slot for \['when'\]\.$"):
        words.render(who="Ama", whom="Kofi", when="now")


@pytest.mark.parametrize(
    "body",
    [
        "[[who.name]]", "[[who | upper]]", "[[1 + 1]]", "[[who()]]", "[['a']]", "[[a if b]]", "[[a ~ b]]", "[[a, b]]",
        "[[a[0]]]", "[[", "[[]]", "[[not]]", "a ]] [[ b",
    ],
)  # fmt: skip
def test_a_slot_that_is_more_than_a_name_is_refused(body: str) -> None:
    with pytest.raises(InputError):
        _ = prompt(f"Line one\n{body}").slots


def test_a_refused_slot_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "greet.md"
    path.write_text(f"{FILE}One\nTwo [[who | upper]]\n")
    with pytest.raises(InputError, match=r"greet\.md:2: a slot holds a plain name, such as \[\[place\]\]\."):
        Prompt.read(path)
    path.write_text(f"{FILE}One\nTwo\nThree [[\n")
    with pytest.raises(InputError, match=r"greet\.md:3: "):
        Prompt.read(path)


def test_the_hash_changes_with_the_words_and_the_name_alone() -> None:
    sha = prompt("Say [[what]].").sha
    assert len(sha) == 12
    assert (
        prompt("Say [[what]].", PromptHeader(name="greet.ask.v1", role="judge", language="ka", origin="b")).sha == sha
    )
    assert prompt("Say [[what]]!").sha != sha
    assert (
        prompt("Say [[what]].", PromptHeader(name="greet.v2", role="subject", language="en", origin="own")).sha != sha
    )


def test_a_file_gives_header_and_words(tmp_path: Path) -> None:
    path = tmp_path / "greet.md"
    path.write_bytes(f"\ufeff{FILE}\nBe [[how]].\n+++\nMore.\n\n".encode())
    read = Prompt.read(path)
    assert read.header == HEADER
    assert read.render(how="kind") == "Be kind.\n+++\nMore."
    assert read == prompt("Be [[how]].\n+++\nMore.")


def test_a_file_with_windows_line_ends_has_the_same_hash(tmp_path: Path) -> None:
    path = tmp_path / "greet.md"
    path.write_bytes(f"{FILE}Be\n[[how]].".replace("\n", "\r\n").encode())
    assert Prompt.read(path).sha == prompt("Be\n[[how]].").sha


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Be kind.", "no header; expected '+++'"),
        ("words\n" + FILE + "Be kind.", "no header; expected '+++'"),
        ("+++\nname = \n+++\nBe kind.", "header is not TOML"),
        ("+++\nname = 1\nBe kind.", "its header has no end; expected '+++'"),
        (FILE.replace("origin", "orgin") + "Be kind.", "unknown field ['orgin']; known are ['fence', 'language'"),
        (FILE.replace('language = "en"\n', "") + "Be kind.", "language: Field required"),
        (FILE.replace("subject", "king") + "Be kind.", "role: "),
    ],
)
def test_a_broken_file_is_one_clear_line(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "greet.md"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        Prompt.read(path)
    assert str(error.value).startswith(f"{path}: ")
    assert why in str(error.value)
    assert "\n" not in str(error.value)
