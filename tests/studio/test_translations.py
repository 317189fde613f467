"""The studio speaks each of its languages in full, and what it speaks by is what was written."""

import re

import pytest
from django.conf import settings
from django.test import Client
from django.utils.translation import ngettext, override

from mores.core.estimate import Missing
from mores.studio.models import Account
from mores.studio.place_names import country_choices, part_choices, place_name
from mores.studio.templatetags.studio import why
from tests.studio import made
from tests.studio.translations import PLURALS, folder, forms_of, mo, read_po, spoken

UPDATE = "python -m tests.studio.translations lists what is to be translated"
LANGUAGES = pytest.mark.parametrize("language", PLURALS)
SLOT = re.compile(r"%\(\w+\)[sd]|%%|<\/?bdi>|\{[^}]*\}")


def test_every_language_but_english_has_a_file() -> None:
    assert {code for code, _ in settings.LANGUAGES} == {"en", *PLURALS}


@LANGUAGES
def test_no_words_are_missing_and_none_are_left_over(language: str) -> None:
    said = read_po(folder(language) / "django.po")
    empty = {key for key, forms in said.items() if not all(forms)}
    assert [key for key, forms in said.items() if len(forms) != forms_of(language, key)] == [], UPDATE
    if language in settings.STUDIO_UNCHECKED:
        if lacking := sorted(key[0] for key in spoken() - set(said) | empty):
            pytest.skip(f"{language}, not checked by a speaker yet, shows {len(lacking)} texts in English: {lacking}")
        return
    assert (set(said), empty) == (spoken(), set()), UPDATE


def test_a_language_that_no_speaker_has_checked_says_so_where_it_is_chosen(studio: object) -> None:
    page = Client().get("/sign-in").content.decode()
    named = dict(re.findall(r'<option value="(\w\w)" lang="\w\w"[^>]*>([^<]*)</option>', page))
    assert set(named) == {code for code, _ in settings.LANGUAGES}
    assert {code for code, name in named.items() if "(" in name} == settings.STUDIO_UNCHECKED
    for code in settings.STUDIO_UNCHECKED:
        assert "X-Checked-By-A-Speaker: no" in (folder(code) / "django.po").read_text(encoding="utf-8")


@LANGUAGES
def test_what_pages_speak_by_is_what_was_written(language: str) -> None:
    said = read_po(folder(language) / "django.po")
    assert (folder(language) / "django.mo").read_bytes() == mo(language, said), UPDATE


@LANGUAGES
def test_values_stand_in_a_translation_as_they_do_in_english(language: str) -> None:
    for key, forms in read_po(folder(language) / "django.po").items():
        wanted = set(SLOT.findall(key[-1]))
        for form in filter(None, forms):  # what is not translated is shown in English
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


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("en", ["Afghanistan", "Åland Islands", "Albania", "DR Congo", "Egypt", "Zimbabwe"]),
        ("es", ["Albania", "Egipto", "Etiopía", "Islas Aland", "México", "Perú"]),
        ("ar", ["إثيوبيا", "أستراليا", "آيسلندا", "إيطاليا", "باكستان", "تونس", "مصر"]),
    ],
)
def test_countries_are_named_and_sorted_as_the_reader_has_them(language: str, names: list[str]) -> None:
    with override(language):
        listed = [name for _code, name in country_choices()]
    assert [name for name in listed if name in names] == names


def test_parts_stand_under_their_country_in_the_readers_language() -> None:
    with override("es"):
        listed = dict(part_choices())["Reino Unido"]
        assert [each[1] for each in listed] == ["Escocia", "Gales", "Inglaterra", "Irlanda del Norte"]
        assert place_name("ainu") == "ainu"


def test_a_reason_for_no_figure_is_told_in_the_readers_language() -> None:
    with override("ar"):
        told = why(Missing(code="too_few_clusters", n=5, needed=8))
    assert re.findall(r"\d+", told) == ["5", "8"]
    assert not re.search("[a-z]", told)


def test_who_is_locked_out_is_told_so_on_a_page_of_their_language(studio: object) -> None:
    Account.objects.make("somebody")
    client = Client(headers={"accept-language": "ar"})
    assert "الاسم:" in client.get("/sign-in").content.decode()
    for _ in range(11):
        page = client.post("/sign-in", {"username": "somebody", "password": "wrong"})
    assert page.status_code == 429
    assert '<html lang="ar" dir="rtl">' in page.content.decode()
    assert "ربع ساعة" in page.content.decode()
