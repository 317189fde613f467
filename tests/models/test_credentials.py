"""Keys and headers go to whom they are meant for, and to nobody that a file alone names."""

import pytest

from mores.core.errors import InputError
from mores.models.address import checked_address, is_open, url_of, without_port
from mores.models.credentials import (
    Access,
    CallHeader,
    Home,
    check_headers,
    check_inspected,
    credentials_of,
    headers_for,
    read_headers,
    with_headers,
    without_values,
)
from mores.models.redaction import GONE, Redaction

KEY, OWN = "sk-key-of-the-provider", "sk-key-of-ones-own"
HOME = Home("https://api.example.org/v1", "EXAMPLE_API_KEY")
HERE = Home("http://localhost:8000/v1", None)
ELSEWHERE = "https://elsewhere.example.net/v1"


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXAMPLE_API_KEY", KEY)
    for name in ("MORES_API_KEY", "MORES_ALLOW_HTTP"):
        monkeypatch.delenv(name, raising=False)


def sent(url: str | None, *headers: CallHeader, typed: bool = False, home: Home = HOME) -> str:
    """The key that goes to an address."""
    return credentials_of("example/m", home, Access(base_url=url, typed=typed, headers=headers)).key


@pytest.mark.parametrize("url", [None, "https://api.example.org/v1", "https://API.example.org:443/v2"])
def test_a_providers_key_goes_to_its_own_host(url: str | None) -> None:
    assert sent(url) == KEY


@pytest.mark.parametrize(
    "url",
    [
        ELSEWHERE, "https://api.example.org.evil.net/v1", "https://api.example.org:8443/v1", "http://api.example.org/v1",
        "https://example.org/v1", "http://127.0.0.1:9/v1", "https://api.example.org./v1",
    ],
)  # fmt: skip
def test_a_providers_key_goes_to_no_other_host_that_a_file_names(url: str) -> None:
    host = url.split("/")[2]
    with pytest.raises(InputError) as refused:
        sent(url)
    said = str(refused.value)
    assert f"the key in EXAMPLE_API_KEY would go to {host}" in said
    assert f"add --base-url {url}, or set MORES_API_KEY" in said
    assert KEY not in said
    assert len(said.splitlines()) == 1


def test_a_providers_key_goes_to_an_address_that_was_typed() -> None:
    assert sent(ELSEWHERE, typed=True) == KEY


def test_a_key_of_ones_own_goes_to_an_address_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MORES_API_KEY", OWN)
    assert sent(ELSEWHERE) == OWN
    assert sent(None) == KEY
    assert sent(ELSEWHERE, home=HERE) == OWN


def test_a_server_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EXAMPLE_API_KEY")
    assert sent(ELSEWHERE) == ""
    with pytest.raises(InputError, match=r"example/m: no key; set EXAMPLE_API_KEY"):
        sent(None)


@pytest.mark.parametrize("url", ["http://gateway.example.org/v1", "http://10.0.0.7:8000/v1", "http://[fd00::1]/v1"])
def test_nothing_secret_goes_over_plain_http_beyond_this_machine(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        InputError, match=r"a key would go to .* over plain http.*use https, a tunnel.*MORES_ALLOW_HTTP"
    ):
        sent(url, typed=True)
    with pytest.raises(InputError, match=r"the header x-team would go to .* over plain http"):
        credentials_of("m/m", HERE, Access(base_url=url, typed=True, headers=(CallHeader("x-team", "norms"),)))
    monkeypatch.setenv("MORES_ALLOW_HTTP", "1")
    assert sent(url, typed=True) == KEY


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"])
def test_this_machine_may_be_reached_over_plain_http(host: str) -> None:
    assert not is_open(f"http://{host}:8000/v1")


def test_a_header_that_holds_a_key_is_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_KEY", "gw-0123456789\n")
    found = credentials_of(
        "example/m", HOME, Access(base_url=ELSEWHERE, typed=True, headers=(CallHeader("api-key", "$GATEWAY_KEY"),))
    )
    assert (found.key, found.headers) == ("", {"api-key": "gw-0123456789"})
    assert "gw-0123456789" in found.secrets
    assert sent(None, CallHeader("x-team", "norms", typed=True)) == KEY
    assert sent(None, CallHeader("Authorization", "")) == ""


def test_an_endpoint_whose_header_is_the_key_needs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EXAMPLE_API_KEY")
    monkeypatch.setenv("GATEWAY_KEY", "gw-0123456789")
    header = CallHeader("authorization", "Bearer ${GATEWAY_KEY}")
    found = credentials_of("example/m", HOME, Access(headers=(header,)))
    assert found.headers == {"authorization": "Bearer gw-0123456789"}
    assert {"Bearer gw-0123456789", "gw-0123456789"} <= set(found.secrets)


def test_words_of_a_value_that_is_no_key_are_left_in_answers() -> None:
    assert CallHeader("x-title", "Understanding culture").secrets() == (
        "Understanding culture",
        "Understanding culture",
    )
    assert (
        Redaction(*CallHeader("x-title", "Understanding culture").secrets()).words("Understanding") == "Understanding"
    )
    assert Redaction(*CallHeader("x", "Bearer sk-0123456789-ab").secrets()).words("sk-0123456789-ab") == GONE


@pytest.mark.parametrize(
    "header", [CallHeader("x-any", "$SOME_SECRET"), CallHeader("x-any", "typed in full", typed=True)]
)
def test_what_is_the_readers_own_goes_to_no_host_that_a_file_names(
    header: CallHeader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_SECRET", "of-the-reader-1234")
    monkeypatch.delenv("EXAMPLE_API_KEY")
    with pytest.raises(InputError, match=r"the header x-any would go to elsewhere\.example\.net, which a file names"):
        sent(ELSEWHERE, header)
    sent(ELSEWHERE, header, typed=True)
    sent(HOME.base_url, header)


def test_what_a_file_says_in_full_or_is_made_for_such_addresses_goes_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EXAMPLE_API_KEY")
    monkeypatch.setenv("MORES_GATEWAY", "own-gateway-1234")
    headers = (CallHeader("x-team", "norms"), CallHeader("x-key", "$MORES_GATEWAY"))
    found = credentials_of("example/m", HOME, Access(base_url=ELSEWHERE, headers=headers))
    assert found.headers == {"x-team": "norms", "x-key": "own-gateway-1234"}


def test_inspect_which_reads_keys_itself_is_opened_at_no_address_that_a_file_names() -> None:
    with pytest.raises(InputError, match=r"the provider's key would go to elsewhere\.example\.net"):
        check_inspected("inspect/openai/m", Access(base_url=ELSEWHERE))
    with pytest.raises(InputError, match="Inspect writes its calls and takes no header x-key"):
        check_inspected("inspect/openai/m", Access(headers=(CallHeader("x-key", "$KEY"),)))
    check_inspected("inspect/openai/m", Access(base_url=ELSEWHERE, typed=True))


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"host": "x"}, "--header host: mores, or the address, says that itself"),
        ({"Content-Length": "1"}, "--header Content-Length: mores, or the address"),
        ({"judge:Transfer-Encoding": "chunked"}, "--header Transfer-Encoding: mores"),
        ({"Proxy-Authorization": "x"}, "--header Proxy-Authorization: mores"),
        ({"x-key": ""}, "--header x-key: no value"),
        ({"x-key": "a\r\nx-other: secret"}, "--header x-key: its value holds a line break"),
        ({"x-key": "schlüssel"}, "--header x-key: its value holds a line break or another sign"),
        ({"x key": "secret"}, "--header: no name of a header; expected NAME=VALUE"),
        ({"x\r\ny": "secret"}, "--header: no name of a header"),
        ({"": "secret"}, "--header: no name of a header"),
    ],
)
def test_a_header_that_no_call_can_have_is_refused_in_one_line(given: dict[str, str], why: str) -> None:
    with pytest.raises(InputError) as refused:
        check_headers(given)
    assert str(refused.value).startswith(why)
    assert "secret" not in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize("held", ["a\nb: c", "a\rb", "a\0b", "schlüssel"])
def test_a_variable_cannot_add_a_header(held: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.environ", {"GATEWAY_KEY": held})
    with pytest.raises(InputError, match="--header x-key: its value holds a line break") as refused:
        CallHeader("x-key", "$GATEWAY_KEY").resolved()
    assert held not in str(refused.value)


def test_a_variable_that_is_not_set_is_named() -> None:
    with pytest.raises(InputError, match=r"--header x-key: no variable NO_SUCH_VARIABLE in the environment; set it\."):
        CallHeader("x-key", "Bearer $NO_SUCH_VARIABLE").resolved()
    assert CallHeader("x-key", "5$$").resolved() == "5$"


def test_headers_are_typed_for_all_or_for_a_role_and_never_repeated_where_they_are_none() -> None:
    assert read_headers(["a=1", "judge:b=x=y"]) == {"a": "1", "judge:b": "x=y"}
    for entry in ("secret", "=secret", "a b=secret"):
        with pytest.raises(InputError, match="--header: no name of a header; expected NAME=VALUE") as refused:
            read_headers([entry])
        assert "secret" not in str(refused.value)


def test_a_roles_header_goes_before_that_of_all_however_it_is_written() -> None:
    given = {"X-Key": "all", "judge:x-key": "judge's", "x-team": "norms"}
    assert [h.value for h in headers_for(["judge"], given, frozenset())] == ["judge's", "norms"]
    assert [h.value for h in headers_for(["subject"], given, frozenset())] == ["all", "norms"]
    assert with_headers({"X-Key": "before"}, {"x-key": "now"}) == {"x-key": "now"}


def test_only_names_and_variables_are_written_down() -> None:
    given = {"a": "$KEY", "b": "Bearer ${KEY}", "c": "secret", "d": "secret-$KEY", "authorization": ""}
    kept = {"a": "$KEY", "b": "Bearer ${KEY}", "c": GONE, "d": GONE, "authorization": ""}
    assert without_values(given) == kept


@pytest.mark.parametrize(
    "tail", ["/chat/completions", "/completions", "/responses", "/chat/completions/", "//completions"]
)
def test_what_is_copied_behind_an_address_is_taken_off(tail: str) -> None:
    assert checked_address(f"https://x.example.org/v1{tail}") == "https://x.example.org/v1"
    assert checked_address(f"https://x.example.org/v1{tail}?api-version=1") == "https://x.example.org/v1?api-version=1"


@pytest.mark.parametrize(
    "url", ["http://localhost:8000/v1", "http://localhost:8000/v1/", "https://x.example.org/models"]
)
def test_an_address_without_such_a_part_stays(url: str) -> None:
    assert checked_address(url) == url


def test_a_version_in_a_query_goes_with_each_call_and_is_no_part_of_what_decides_a_reply() -> None:
    url = checked_address("https://x.openai.example.com/openai/deployments/m?api-version=2024-12-01-preview")
    assert url_of(url, "chat/completions").endswith("/deployments/m/chat/completions?api-version=2024-12-01-preview")
    assert without_port(url) == "https://x.openai.example.com/openai/deployments/m"


@pytest.mark.parametrize(
    "query",
    ["api_key=x", "api-key=x", "subscription-key=x", "access_token=x", "sig=x", "code=x", "v=1&key=x", "secret=", "x",
     "api-version=sk-0123456789-0123456789", "v=a%20b", "user=me", "auth=1"],
)  # fmt: skip
def test_a_query_that_may_be_secret_is_refused_and_not_said(query: str) -> None:
    with pytest.raises(InputError, match="--base-url: it carries a user, a password, a query") as refused:
        checked_address(f"https://x.example.org/v1?{query}")
    assert query not in str(refused.value)
