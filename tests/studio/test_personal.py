"""What looks like an address or number of somebody is found in every script; years, dates and prices are not."""

import json
import re

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from mores.studio.flows.exporting import export_files
from mores.studio.flows.personal import PersonalDataKind, personal
from mores.studio.models import Account, Project, Response
from mores.studio.work.items import NewItem, add_items
from tests.studio import made
from tests.studio.conftest import BOTH
from tests.studio.doing import claimed, client_of, owner_in


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("Write to ana.b+c@example.org.", PersonalDataKind.MAIL, "ana.b+c@example.org"),
        ("メールは ana＠例え．jp まで", PersonalDataKind.MAIL, "ana＠例え．jp"),
        ("اكتب إلى amal@مثال.السعودية اليوم", PersonalDataKind.MAIL, "amal@مثال.السعودية"),
        ("ana [at] example.org", PersonalDataKind.MAIL, "ana [at] example.org"),
        ("ask @sakura_1990", PersonalDataKind.ACCOUNT, "@sakura_1990"),
        ("アカウントは@sakura_1990", PersonalDataKind.ACCOUNT, "@sakura_1990"),
        ("see https://www.instagram.com/ana.b today", PersonalDataKind.ACCOUNT, "https://www.instagram.com/ana.b"),
        ("t.me/ana_b", PersonalDataKind.ACCOUNT, "t.me/ana_b"),
        ("微信号：li_wei88", PersonalDataKind.ACCOUNT, "微信号：li_wei88"),
        ("LINE ID: yuki.22", PersonalDataKind.ACCOUNT, "LINE ID: yuki.22"),
        ("+34 600 123 456", PersonalDataKind.TELEPHONE, "+34 600 123 456"),
        ("電話は090-1234-5678です", PersonalDataKind.TELEPHONE, "090-1234-5678"),
        ("010-1234-5678로 전화", PersonalDataKind.TELEPHONE, "010-1234-5678"),
        ("手机13812345678", PersonalDataKind.TELEPHONE, "13812345678"),
        ("هاتفي ٠٥٠١٢٣٤٥٦٧", PersonalDataKind.TELEPHONE, "٠٥٠١٢٣٤٥٦٧"),
        ("तार करें ९८७६५४३२१०", PersonalDataKind.TELEPHONE, "९८७६५४३२१०"),
        ("０９０－１２３４－５６７８", PersonalDataKind.TELEPHONE, "０９０－１２３４－５６７８"),
        ("(212) 555-0187", PersonalDataKind.TELEPHONE, "(212) 555-0187"),
        ("06 12 34 56 78", PersonalDataKind.TELEPHONE, "06 12 34 56 78"),
        ("600 123 456", PersonalDataKind.TELEPHONE, "600 123 456"),
        ("tel. 555 0187", PersonalDataKind.TELEPHONE, "555 0187"),
        ("030/12345678", PersonalDataKind.TELEPHONE, "030/12345678"),
        ("Call +234 803 555 1234 now", PersonalDataKind.TELEPHONE, "+234 803 555 1234"),  # it adds up as a card
        ("her line is 2348035551234", PersonalDataKind.TELEPHONE, "2348035551234"),
        ("234-803-555-1234", PersonalDataKind.TELEPHONE, "234-803-555-1234"),
        ("4111 1111 1111 1111", PersonalDataKind.CARD, "4111 1111 1111 1111"),
        ("٤١١١١١١١١١١١١١١١", PersonalDataKind.CARD, "٤١١١١١١١١١١١١١١١"),
        ("5500-0000-0000-0004", PersonalDataKind.CARD, "5500-0000-0000-0004"),
        ("GB82 WEST 1234 5698 7654 32", PersonalDataKind.CARD, "GB82 WEST 1234 5698 7654 32"),
        ("passport no. 533380006", PersonalDataKind.DOCUMENT, "533380006"),
        ("جواز السفر: A1234567", PersonalDataKind.DOCUMENT, "A1234567"),
        ("her number is M12345678", PersonalDataKind.DOCUMENT, "M12345678"),
        ("身份证 11010519491231002X", PersonalDataKind.DOCUMENT, "11010519491231002X"),
        ("800101-2345678", PersonalDataKind.DOCUMENT, "800101-2345678"),
        ("in her wallet: 12345678Z", PersonalDataKind.DOCUMENT, "12345678Z"),
        ("RCCMNL83S18D969H", PersonalDataKind.DOCUMENT, "RCCMNL83S18D969H"),
        ("529.982.247-25", PersonalDataKind.DOCUMENT, "529.982.247-25"),
        ("DNI 12345678Z", PersonalDataKind.DOCUMENT, "12345678Z"),
    ],
)
def test_what_tells_who_somebody_is_is_found_as_it_was_written(text: str, kind: PersonalDataKind, words: str) -> None:
    assert [(each.kind, each.words) for each in personal(text)] == [(kind, words)]


@pytest.mark.parametrize(
    "text",
    [
        "In 1990, 2010 and 2011", "from 1990-1995 to 2001-2003", "1914–1918, 1939–1945", "2010 2011 2012 2013",
        "on 2024-05-01 and 01.05.2024 - 03.05.2024", "31/12/1999", "at 12:30-14:30", "١٤٤٥/٠٩/٠١", "2024年5月1日",
        "100,000 won", "100 000 000 원", "₩100000000", "Rp 1.500.000.000", "1.000.000.000 đồng", "500000000 VND",
        "$1,000,000,000", "1412000000 people", "1 200 000 000 inhabitants", "२,५०,००,००० रुपये", "١٠٠٬٠٠٠٬٠٠٠ ريال",
        "3.14159265358", "10 to 20 guests, 3-5 dishes", "5-10-15-20-25", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10",
        "l@s niñ@s y tod@s", "meet @ 5", "2 kg @ 100 yen", "WhatsApp: everybody uses it", "the 7-5-3 festival",
        "¥10,000 in a white envelope, or ¥30,000 among friends", "room 101", "A4, B5 and MP3", "passport and visa",
        "https://en.wikipedia.org/wiki/Chuseok", "Line: stand in one", "24/7", "50%-60%", "x2 and 3x", "1001 nights",
    ],
)  # fmt: skip
def test_years_dates_prices_and_counts_tell_of_nobody(text: str) -> None:
    assert personal(text) == ()


def test_each_part_is_told_once_in_its_order() -> None:
    text = "090-1234-5678, ana@example.org, @ana_b, M12345678"
    assert [each.words for each in personal(text)] == ["090-1234-5678", "ana@example.org", "@ana_b", "M12345678"]


@given(st.text(max_size=200))
def test_what_is_found_stands_in_the_text_and_twice_is_the_same(text: str) -> None:
    found = personal(text)
    assert all(each.words in text for each in found)
    assert found == personal(text)


@given(st.integers(1000, 2199), st.sampled_from(["-", "–", "/", " ", ", ", " and ", "～", " to "]))
def test_no_two_years_are_a_number_of_somebody(year: int, between: str) -> None:
    assert personal(f"{year}{between}{year + 1}") == ()


@given(st.integers(0, 10**12), st.sampled_from(["won", "원", "円", "ریال", "USD", "€", "₹"]))
def test_no_price_is_a_number_of_somebody(amount: int, currency: str) -> None:
    assert personal(f"{amount:,} {currency}") == ()


NOTE = "She asks twice, says her cousin at 090-1234-5678."


def _labelling() -> tuple[Project, Client, str]:
    """Somebody who labels, and where."""
    project = made.project(flow="label")
    payload = {"task": "awareness", "place": "", "words": "Is it so?", "options": ["yes", "no"]}
    add_items(project, [NewItem(key="i0", payload=payload)], who=None)
    (person,) = made.annotators(project, 1)
    return project, client_of(person.account), f"/p/feasts/work/{claimed(person).assignment}"


@BOTH
def test_a_note_with_a_number_is_stored_once_its_writer_was_told(studio: object) -> None:
    project, client, path = _labelling()
    told = {"label": "yes", "note": NOTE, "key": "k"}
    page = client.post(path, told)
    assert page.status_code == 422
    assert "telephone number: \u2068090-1234-5678\u2069" in page.content.decode()
    assert NOTE in page.content.decode()
    assert not Response.objects.exists()
    seen = re.search(r'name="seen" value="(\w+)"', page.content.decode())
    assert seen is not None
    for _ in range(2):  # however often it is sent
        assert client.post(path, told | {"seen": seen[1]}).status_code == 302
    assert Response.objects.get().answer == {"label": "yes", "note": NOTE}
    owner = owner_in(project)
    listed = owner.get("/p/feasts/personal").content.decode()
    assert "telephone number: <bdi>090-1234-5678</bdi>" in listed
    datasheet = export_files(project, "labels")["datasheet.json"]
    assert json.loads(datasheet)["personal_data"] == {"texts": 1, "flagged": 1}
    assert b"090-1234" not in datasheet


def test_a_note_without_is_stored_at_once(studio: object) -> None:
    project, client, path = _labelling()
    assert client.post(path, {"label": "yes", "note": "In 2010 it was 100,000 won.", "key": "k"}).status_code == 302
    assert b"0 may tell" in owner_in(project).get("/p/feasts/personal").content
    stranger = Account.objects.make("stranger")
    assert client_of(stranger).get("/p/feasts/personal").status_code == 404
