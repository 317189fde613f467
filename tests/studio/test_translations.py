"""The studio speaks each of its languages in full, and what it speaks by is what was written."""

import re

import pytest
from django.conf import settings
from django.test import Client
from django.utils.translation import ngettext, override

from tests.studio import made
from tests.studio.translations import PLURALS, folder, forms_of, mo, read_po, spoken

UPDATE = "python -m tests.studio.translations lists what is to be translated"
LANGUAGES = pytest.mark.parametrize("language", PLURALS)
SLOT = re.compile(r"%\(\w+\)[sd]|%%|<\/?bdi>")


def test_every_language_but_english_has_a_file() -> None:
    assert {code for code, _ in settings.LANGUAGES} == {"en", *PLURALS}


@LANGUAGES
def test_no_words_are_missing_and_none_are_left_over(language: str) -> None:
    said = read_po(folder(language) / "django.po")
    assert set(said) == spoken(), UPDATE
    assert [key for key, forms in said.items() if not all(forms) or len(forms) != forms_of(language, key)] == [], UPDATE


@LANGUAGES
def test_what_pages_speak_by_is_what_was_written(language: str) -> None:
    said = read_po(folder(language) / "django.po")
    assert (folder(language) / "django.mo").read_bytes() == mo(language, said), UPDATE


@LANGUAGES
def test_values_stand_in_a_translation_as_they_do_in_english(language: str) -> None:
    for key, forms in read_po(folder(language) / "django.po").items():
        wanted = set(SLOT.findall(key[-1]))
        for form in forms:
            # "one answer" and "two answers" are words of their own in Arabic.
            assert set(SLOT.findall(form)) == wanted or (len(key) == 2 and not SLOT.findall(form)), (key, form)


def test_arabic_counts_in_its_six_ways() -> None:
    with override("ar"):
        told = [ngettext("%(done)s answer so far", "%(done)s answers so far", n) for n in (0, 1, 2, 5, 11, 100)]
    assert len(set(told)) == 5  # 11 and 100 differ in the noun, which is the same word here


@pytest.mark.parametrize(("language", "direction", "words"), [("es", "ltr", "Responder"), ("ar", "rtl", "أجب")])
def test_a_page_comes_in_the_language_of_who_asks(studio: object, language: str, direction: str, words: str) -> None:
    (person,) = made.annotators(made.project(), 1)
    client = Client(headers={"accept-language": language})
    client.force_login(person.account, backend="django.contrib.auth.backends.ModelBackend")
    page = client.get("/p/feasts/").content.decode()
    assert f'<html lang="{language}" dir="{direction}">' in page
    assert words in page


def test_language_and_colours_are_chosen_without_scripts_and_kept(studio: object) -> None:
    client = Client()
    went = client.post("/preferences", {"language": "ar", "scheme": "dark", "next": "/sign-in"})
    assert went["Location"] == "/sign-in"
    assert '<html lang="ar" dir="rtl" data-scheme="dark">' in client.get("/sign-in").content.decode()
    client.post("/preferences", {"language": "en", "scheme": "", "next": "https://elsewhere.example"})
    page = client.get("/sign-in").content.decode()
    assert '<html lang="en" dir="ltr">' in page
