"""Languages by their tags, and the script that a text is in."""

import pytest

from mores.core.errors import InputError
from mores.core.languages import is_in_script_of, language_of, scripts_in


@pytest.mark.parametrize(
    ("tag", "subtag", "direction"),
    [
        ("ar-DZ", "ar", "rtl"),
        ("fa", "fa", "rtl"),
        ("ko-KP", "ko", "ltr"),
        ("zh-Hans-CN", "zh", "ltr"),
        ("qq", "qq", "ltr"),
    ],
)
def test_a_tag_gives_its_language_and_direction(tag: str, subtag: str, direction: str) -> None:
    found = language_of(tag)
    assert (found.tag, found.subtag, found.direction) == (tag, subtag, direction)


@pytest.mark.parametrize("tag", ["", "EN", "english", "es_MX", "es-mx", "su-"])
def test_what_is_no_tag_is_refused(tag: str) -> None:
    with pytest.raises(InputError, match="no BCP 47 tag"):
        language_of(tag)


@pytest.mark.parametrize(
    ("text", "tag", "found"),
    [
        ("김치", "ko-KR", True), ("kimchi", "ko-KR", False), ("চাহ", "as-IN", True), ("ሻይ", "am", True),
        ("چای", "fa", True), ("τσάι", "el", True), ("茶", "zh-CN", True), ("お茶", "ja", True), ("tea 茶", "zh", False),
        ("7:30", "ko", None), ("té", "es", None), ("tea", "ha", None),
    ],
)  # fmt: skip
def test_the_script_of_an_answer_tells_languages_apart_where_they_are_written_otherwise(
    text: str, tag: str, found: bool | None
) -> None:
    assert is_in_script_of(text, tag) is found


def test_digits_and_signs_are_of_no_script() -> None:
    assert scripts_in("12:30 – !") == {}
