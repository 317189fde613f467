"""Names that nobody takes for another's, signing in by them however they are typed, and limits for who guesses."""

from ipaddress import ip_network

import pytest
from axes.models import AccessAttempt
from django.conf import settings
from django.test import Client, RequestFactory

from mores.studio.accounts.limits import LIMITS, address_counted
from mores.studio.accounts.links import make_token
from mores.studio.accounts.names import NotAName, chosen_name
from mores.studio.models import Account, Project, Role
from mores.studio.models.lookalikes import lookalike_keys
from tests.studio import made
from tests.studio.conftest import BOTH

PASSWORD = "a long enough one"
BY_BOTH, BY_ADDRESS, BY_NAME = LIMITS.values()


def _tried(name: str, password: str = "wrong", **where: str) -> int:
    return Client().post("/sign-in", {"username": name, "password": password}, **where).status_code  # type: ignore[arg-type]


def _entered(name: str) -> bool:
    """True if somebody who comes by a link is let have a name."""
    token = make_token(Project.objects.first() or made.project(), Role.ANNOTATOR, uses=1, hours=1)
    return Client().post(f"/enter/{token}", {"name": name, "password": PASSWORD}).status_code == 302


@BOTH
@pytest.mark.parametrize("typed", ["Ada Smith", "ada smith", "ADA SMITH", " Ada  Smith", "Ａda Smith"])
def test_people_sign_in_whatever_capitals_their_telephone_makes(studio: object, typed: str) -> None:
    Account.objects.make("Ada Smith", PASSWORD)
    assert _tried(typed, PASSWORD) == 302
    assert _tried(typed) == 200


@pytest.mark.parametrize(
    ("name", "typed"), [("Éva", "éva"), ("Вова", "ВОВА"), ("irem", "İrem"), ("Straße", "STRASSE"), ("Σας", "ΣΑΣ")]
)
def test_so_do_people_with_other_letters(studio: object, name: str, typed: str) -> None:
    Account.objects.make(name, PASSWORD)
    assert _tried(typed, PASSWORD) == 302


LIKE = (
    "Olu Owner", "olu OWNER", "Olu  Owner", "Olu\u200b Owner", "Olu\u00ad Owner", "Olu\u2060 Owner", "O\u034flu Owner",
    "Olu Оwner", "ОӀu Оwnеr", "0lu 0wner", "O1u Owner", "OIu Owner", "Ｏlu Owner", "Olu Owner\u202e", "𝐎𝐥𝐮 Owner",
    "Olu\u3164Owner",
)  # fmt: skip


@BOTH
def test_nobody_is_let_in_under_a_name_that_looks_like_anothers(studio: object) -> None:
    Account.objects.make("Olu Owner", PASSWORD)
    assert [name for name in LIKE if _entered(name)] == []
    assert _entered("Olu Onwer")


@pytest.mark.parametrize(
    ("one", "other"), [("ВОВ", "BOB"), ("раураӏ", "paypal"), ("Mary Bern", "Mary Bem"), ("Ida", "lda")]
)
def test_whole_words_of_another_script_are_told_apart_from_none(studio: object, one: str, other: str) -> None:
    Account.objects.make(one, PASSWORD)
    assert not _entered(other)


WRITTEN = (
    "José Ñandú", "Олег", "山田タロウ", "김철수 Kim", "علی\u200cرضا", "अनिल", "เจ้าจันทร์", "Nguyễn Thị Minh",
    "O'Brien-2", "❤ Ana", "007",
)  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_names_as_people_write_them_are_taken(studio: object, name: str) -> None:
    assert chosen_name(name) == name
    assert _entered(name)


HIDDEN = ("Olu\u200bX", "a\ufe0fb", "x\u200dy", "Pаul Smith", "a：b", "\u200b", "\u0301", "a\ufffc", "ﷺ" * 80)


@pytest.mark.parametrize("name", HIDDEN)
def test_signs_that_hide_and_scripts_that_nobody_mixes_are_not(studio: object, name: str) -> None:
    with pytest.raises(NotAName):
        chosen_name(name)
    assert not _entered(name)


def test_of_two_who_take_one_name_at_once_the_second_is_asked_for_another(
    studio: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    Account.objects.make("Somebody", PASSWORD)
    monkeypatch.setattr("mores.studio.accounts.forms.lookalike_keys", lambda _name: ("none", "none"))  # not there yet
    token = make_token(made.project(), Role.ANNOTATOR, hours=1)
    page = Client().post(f"/enter/{token}", {"name": "somebody", "password": PASSWORD})
    assert "choose another" in page.content.decode()
    assert Account.objects.count() == 1


def test_ids_of_platforms_are_told_apart_by_every_letter() -> None:
    assert lookalike_keys("prolific:abc").small != lookalike_keys("prolific:ABC").small


@BOTH
def test_all_spellings_of_a_name_are_one_to_the_limit(studio: object) -> None:
    Account.objects.make("Ada", PASSWORD)
    spellings = ["ada", "ADA", "Ada ", "аda", "ada\u200b"]
    for number in range(BY_BOTH):
        assert _tried(spellings[number % len(spellings)]) == (429 if number == BY_BOTH - 1 else 200)
    assert _tried("Ada", PASSWORD) == 429
    assert _tried("Ada", PASSWORD, REMOTE_ADDR="192.0.2.1") == 302


@BOTH
def test_one_password_for_many_names_is_limited_by_address(studio: object) -> None:
    for number in range(2):
        _tried(f"name {number}")
    AccessAttempt.objects.filter(username=lookalike_keys("name 0").small).update(failures_since_start=BY_ADDRESS - 1)
    Account.objects.make("Ada", PASSWORD)
    assert _tried("Ada", PASSWORD) == 429
    assert _tried("Ada", PASSWORD, REMOTE_ADDR="192.0.2.1") == 302


def _from_many_addresses(name: str) -> None:
    """As many wrong passwords as shut the door, from two addresses."""
    for address in ("192.0.2.1", "192.0.2.2"):
        _tried(name, REMOTE_ADDR=address)
    AccessAttempt.objects.filter(ip_address="192.0.2.1").update(failures_since_start=BY_NAME - 1)


def test_one_name_from_many_addresses_is_limited_by_name(studio: object) -> None:
    Account.objects.make("Ada", PASSWORD)
    _from_many_addresses("Ada")
    assert _tried("Ada", PASSWORD, REMOTE_ADDR="198.51.100.1") == 429


def test_whoever_signed_in_at_a_browser_before_is_kept_out_of_it_by_nobody_elsewhere(studio: object) -> None:
    Account.objects.make("Ada", PASSWORD)
    Account.objects.make("Mallory", PASSWORD)
    own, strange = Client(REMOTE_ADDR="203.0.113.1"), Client(REMOTE_ADDR="203.0.113.2")
    for client, name in ((own, "Ada"), (strange, "Mallory")):
        assert client.post("/sign-in", {"username": name, "password": PASSWORD}).status_code == 302
        client.post("/sign-out")
    _from_many_addresses("Ada")
    assert strange.post("/sign-in", {"username": "Ada", "password": PASSWORD}).status_code == 429
    assert own.post("/sign-in", {"username": "ada", "password": PASSWORD}).status_code == 302
    own.post("/sign-out")
    tries = [own.post("/sign-in", {"username": "Ada", "password": "wrong"}).status_code for _ in range(BY_BOTH)]
    assert tries[-1] == 429


def _address(came: str, told: str = "", *, proxies: tuple[str, ...] = ()) -> str:
    extra = {"HTTP_X_FORWARDED_FOR": told} if told else {}
    request = RequestFactory().get("/sign-in", REMOTE_ADDR=came, **extra)  # type: ignore[arg-type]
    before = settings.STUDIO_PROXIES
    settings.STUDIO_PROXIES = [*before, *map(ip_network, proxies)]
    try:
        return address_counted(request)
    finally:
        settings.STUDIO_PROXIES = before


@pytest.mark.parametrize(
    ("came", "told", "proxies", "address"),
    [
        ("203.0.113.9", "", (), "203.0.113.9"),
        ("203.0.113.9", "198.51.100.1", (), "203.0.113.9"),  # who is no proxy of ours is not believed
        ("127.0.0.1", "198.51.100.1", (), "198.51.100.1"),
        ("127.0.0.1", "10.9.9.9, 198.51.100.1", (), "198.51.100.1"),  # what stands before anybody may have written
        ("127.0.0.1", "198.51.100.1, 10.0.0.2", ("10.0.0.0/8",), "198.51.100.1"),
        ("10.0.0.2", "198.51.100.1", ("10.0.0.0/8",), "198.51.100.1"),
        ("127.0.0.1", "198.51.100.1, unknown", (), "127.0.0.1"),
        ("127.0.0.1", "198.51.100.1, ::ffff:192.0.2.7", (), "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "", (), "2001:db8:1:2::"),  # a household has all of it
        ("fe80::1%eth0", "", (), "fe80::"),
        ("", "198.51.100.1", (), "198.51.100.1"),  # through a socket of this machine
        ("", "", (), "0.0.0.0"),
    ],
)
def test_an_address_is_what_the_last_trusted_proxy_tells(
    came: str, told: str, proxies: tuple[str, ...], address: str
) -> None:
    assert _address(came, told, proxies=proxies) == address


@BOTH
def test_an_older_account_that_looks_like_another_signs_in_by_its_very_letters(studio: object) -> None:
    Account.objects.make("Ada", PASSWORD)
    Account.objects.create(name="ada", looks_small="1", looks_capital="1", password="!")
    assert _tried("Ada", PASSWORD) == 302
    assert _tried("ADA", PASSWORD) == 302
    assert Account.objects.get_by_natural_key("ada").looks_small == "1"
