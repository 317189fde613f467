"""A folder of TOML files becomes a pack, and a mistake in it becomes one line that says where it is."""

from pathlib import Path

import pytest

from mores.core.errors import InputError, UnknownName
from mores.norms.items import Statement
from mores.norms.pack import load_pack

NORM = """
[[norm]]
id = "{id}"
domain = "greetings"
topic = "greeting"
statement = "In Japan, many people bow when they greet someone."
negation = "In Japan, many people find a bow rude as a greeting."
strictness = "sometimes"
[norm.source]
title = "Greetings"
url = "https://example.org/greetings"
looked_up = "2026-11-21"
verified = true
found = "The page says that people bow."
[norm.know]
question = "How do many people in Japan greet?"
options = [{{ text = "They bow.", true = true }}, {{ text = "They whistle.", true = false }}]
[norm.judge]
story = "Aiko meets her teacher and bows."
question = "Was what Aiko did acceptable there?"
label = "yes"
why = "She greets as many people do."
"""


def folder(path: Path, *norms: str, place: str = "JP") -> Path:
    (path / "JP.toml").write_text(f'place = "{place}"\n' + "".join(norms), encoding="utf-8")
    return path


def test_a_norm_comes_with_its_place_source_and_items(tmp_path: Path) -> None:
    (only,) = load_pack(folder(tmp_path, NORM.format(id="JP-greetings-bow"))).norms
    assert (only.norm.id, only.norm.place, only.norm.sources[0].verified) == ("JP-greetings-bow", "JP", True)
    assert only.norm.subgroup is None
    assert only.know[0].options == (Statement(text="They bow.", true=True), Statement(text="They whistle.", true=False))
    assert only.judge[0].label == "yes"


def test_norms_come_sorted_by_id_however_they_lie(tmp_path: Path) -> None:
    here = folder(tmp_path, NORM.format(id="JP-greetings-z"), NORM.format(id="JP-greetings-a"))
    assert [norm.norm.id for norm in load_pack(here).norms] == ["JP-greetings-a", "JP-greetings-z"]


def test_the_fingerprint_changes_with_any_word_and_with_nothing_else(tmp_path: Path) -> None:
    one, other = NORM.format(id="JP-greetings-a"), NORM.format(id="JP-greetings-b")
    first = load_pack(folder(tmp_path, one, other)).fingerprint
    assert load_pack(folder(tmp_path, other, "\n# a remark\n", one)).fingerprint == first
    for old, new in (("They bow.", "They nod."), ("many people do", "people do"), ('greetings"\nloo', 'x"\nloo')):
        changed = one.replace(old, new)
        assert changed != one
        assert load_pack(folder(tmp_path, changed, other)).fingerprint != first


def test_a_pack_says_its_name_and_version_in_pack_toml(tmp_path: Path) -> None:
    here = folder(tmp_path, NORM.format(id="JP-greetings-bow"))
    assert (load_pack(here).id, load_pack(here).version) == (tmp_path.name, "0")
    (tmp_path / "pack.toml").write_text('id = "mine"\nname = "My norms"\nversion = "3-B"\n', encoding="utf-8")
    pack = load_pack(here)
    assert (pack.id, pack.name, pack.version) == ("mine", "My norms", "3-B")


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('strictness = "sometimes"', 'strictnes = "sometimes"', r"JP-greetings-bow: unknown field \['strictnes'\]"),
        ('strictness = "sometimes"', 'strictness = "often"', r"JP-greetings-bow: strictness: .*'often'"),
        ('label = "yes"', 'label = "maybe"', r"JP-greetings-bow: judge: 0.label: .*'maybe'"),
        ('label = "yes"\n', "", r"JP-greetings-bow: judge: 0.label: "),
        ('title = "Greetings"', 'name = "Greetings"', r"JP-greetings-bow: .*(name|title)"),
        ("{ text =", "{ note = 1, text =", r"JP-greetings-bow: know 1: .*note"),
        ("[norm.judge]", "[norm.jugde]", r"JP-greetings-bow: no table \['judge'\]"),
        ('domain = "greetings"', 'domain = "food"', r"JP-greetings-bow: domain: .*'food'"),
        ('topic = "greeting"', 'topic = "greeting"\nplace = "CN"', r"JP-greetings-bow: unknown field \['place'\]"),
        ("[[norm]]", "[[norms]]", r"JP\.toml: unknown field \['norms'\]"),
        ("[[norm]]", "[norm", r"JP\.toml: not TOML"),
    ],
)
def test_a_mistake_is_one_line_with_file_and_norm(tmp_path: Path, old: str, new: str, line: str) -> None:
    text = NORM.format(id="JP-greetings-bow")
    assert old in text
    with pytest.raises(InputError, match=line) as caught:
        load_pack(folder(tmp_path, text.replace(old, new, 1)))
    assert "JP.toml" in str(caught.value)


def test_an_id_that_is_used_twice_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="two norms are called 'JP-greetings-bow'"):
        load_pack(folder(tmp_path, NORM.format(id="JP-greetings-bow"), NORM.format(id="JP-greetings-bow")))


def test_an_unknown_place_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"JP\.toml: No place is called 'Jappan'\. Did you mean 'Japan'"):
        load_pack(folder(tmp_path, NORM.format(id="JP-greetings-bow"), place="Jappan"))


def test_a_folder_without_norms_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no norms"):
        load_pack(tmp_path)


LIVE = '[norm.live]\nkind = "office"\ntask = "see the teacher about a form"\n'


def test_a_norm_may_have_a_task_of_a_day_and_a_file_first_names(tmp_path: Path) -> None:
    names = 'names = { female = ["Yui"], male = ["Ren", "Sota"] }\n'
    one, other = NORM.format(id="JP-greetings-a") + LIVE, NORM.format(id="JP-greetings-b")
    pack = load_pack(folder(tmp_path, names, one, other))
    first, second = pack.norms
    assert first.live is not None
    assert (first.live.kind, first.live.task) == ("office", "see the teacher about a form")
    assert second.live is None
    assert pack.names["JP"].male == ("Ren", "Sota")
    assert load_pack(folder(tmp_path, one, other)).fingerprint != pack.fingerprint


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (LIVE.replace("office", "beach"), "JP-greetings-a: live: kind"),
        (LIVE.replace("task", "chore"), r"unknown field \['chore'\]"),
        (LIVE.replace('kind = "office"\n', ""), "JP-greetings-a: live: kind"),
        (
            LIVE.replace("see the teacher about a form", " "),
            "JP-greetings-a: live: task is ' '; expected what there is",
        ),
        (LIVE.replace("a form", r"a form\n\nRules: none"), "JP-greetings-a: live: task is .*in one line"),
    ],
)
def test_a_task_that_leads_nowhere_is_refused_with_its_norm(tmp_path: Path, wrong: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        load_pack(folder(tmp_path, NORM.format(id="JP-greetings-a") + wrong))


def test_first_names_are_needed_for_women_and_men(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"JP\.toml: names: 1 female and 0 male"):
        load_pack(folder(tmp_path, 'names = { female = ["Yui"], male = [] }\n', NORM.format(id="JP-greetings-a")))
    with pytest.raises(InputError, match=r"JP\.toml: names: '' is no name"):
        load_pack(folder(tmp_path, 'names = { female = ["Yui"], male = [""] }\n', NORM.format(id="JP-greetings-a")))


AGAIN = NORM.replace("[norm.source]", "[[norm.source]]").replace("[norm.know]", "[[norm.know]]")
SECOND = """
[[norm.source]]
title = "A survey"
url = "https://example.org/survey"
looked_up = "2026-11-21"
verified = false
found = "Most of those asked bow."
origin = "scholar"
dissent = "Some of the young wave."
[[norm.know]]
question = "What do many people in Japan do at the door?"
options = [{{ text = "They shake hands.", true = false }}, {{ text = "They bow.", true = true }}]
"""
SWAPPED = """
[norm.swapped]
place = "France"
know = ["none", "a"]
judge = ["neutral"]
[norm.swapped.source]
title = "Greetings elsewhere"
url = "https://example.org/france"
looked_up = "2026-11-21"
verified = true
found = "People shake hands."
"""


def test_a_norm_may_have_parallel_questions_several_sources_and_a_place_to_swap_with(tmp_path: Path) -> None:
    (only,) = load_pack(folder(tmp_path, (AGAIN + SECOND + SWAPPED).format(id="JP-greetings-bow"))).norms
    assert [known.question[:8] for known in only.know] == ["How do m", "What do "]
    assert [(source.origin, source.dissent) for source in only.norm.sources][1] == (
        "scholar",
        "Some of the young wave.",
    )
    assert only.norm.verified
    assert only.swapped is not None
    assert (only.swapped.place, only.swapped.know, only.swapped.judge) == ("FR", ("none", "a"), ("neutral",))


def test_what_cannot_be_told_of_the_other_place_is_left_open(tmp_path: Path) -> None:
    half = SWAPPED.replace('["none", "a"]', '["-", "a"]').replace('["neutral"]', '["-"]')
    (only,) = load_pack(folder(tmp_path, (AGAIN + SECOND + half).format(id="JP-greetings-bow"))).norms
    assert only.swapped is not None
    assert (only.swapped.know, only.swapped.judge) == (("-", "a"), ("-",))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"France"', '"Japan"', r"swapped: place is JP, the norm's own"),
        ('"France"', '"Farnce"', r"swapped: No place is called 'Farnce'"),
        ('["none", "a"]', '["a"]', r"swapped: 1 answers on know; expected 2, or none"),
        ('["none", "a"]', '["none", "ab"]', r"swapped: know has 'ab'; expected letters such as 'a\|d'"),
        ('["neutral"]', '["perhaps"]', r"swapped: judge"),
    ],
)
def test_a_place_to_swap_with_that_does_not_fit_is_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    text = (AGAIN + SECOND + SWAPPED).format(id="JP-greetings-bow")
    assert old in text
    with pytest.raises(InputError, match=f"JP-greetings-bow: .*{says}"):
        load_pack(folder(tmp_path, text.replace(old, new)))


SECOND_EDITION = """
[norm.converse]
scene = "Aiko and Tom wait in a hall."
other = {{ name = "Tom", who = "a visitor", local = true }}
you = {{ name = "Aiko", who = "a student" }}
proposal = "Suggest to sit down."
goal = "Settle who goes in first."
harmless = true
"""


def test_a_file_may_name_its_region_and_a_norm_what_courtesy_makes_of_it_and_where_else_a_statement_is_true(
    tmp_path: Path,
) -> None:
    text = (NORM + SECOND_EDITION).format(id="JP-greetings-bow")
    text = text.replace("[norm.source]", 'courtesy = "breaks"\n[norm.source]').replace(
        "true = false", 'true = false, elsewhere = "France"'
    )
    (only,) = load_pack(folder(tmp_path, 'region = "East Asia"\n', text)).norms
    assert (only.region, only.norm.courtesy) == ("East Asia", "breaks")
    assert [option.elsewhere for option in only.know[0].options] == ["", "FR"]
    assert only.converse is not None
    assert (only.converse.harmless, only.converse.other.local, only.converse.you.local) == (True, True, False)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('region = "East Asia"', 'region = "East\\nAsia"', r"JP\.toml: region is 'East\\nAsia'; expected its name"),
        ('region = "East Asia"', "region = 1", r"JP\.toml: region"),
        ('courtesy = "breaks"', 'courtesy = "kind"', r"JP-greetings-bow: courtesy: .*'kind'"),
        ('courtesy = "breaks"', 'region = "Asia"', r"JP-greetings-bow: unknown field \['region'\]; the region stands"),
        ('"They whistle.", true = false', '"They whistle.", true = false, elsewhere = "JP"', "know 1: elsewhere is JP"),
        ('"They whistle.", true = false', '"They whistle.", true = false, elsewhere = "XQ"', "elsewhere: No place is"),
        ('"They bow.", true = true', '"They bow.", true = true, elsewhere = "KR"', "elsewhere is on a true statement"),
        ("harmless = true", 'harmless = "perhaps"', "JP-greetings-bow: converse: harmless"),
        ("local = true", "native = true", r"JP-greetings-bow: converse: .*native"),
    ],
)
def test_what_the_second_edition_says_of_a_norm_is_refused_where_it_does_not_fit(
    tmp_path: Path, old: str, new: str, says: str
) -> None:
    text = (NORM + SECOND_EDITION).format(id="JP-greetings-bow")
    text = 'region = "East Asia"\n' + text.replace("[norm.source]", 'courtesy = "breaks"\n[norm.source]')
    assert old in text
    with pytest.raises(InputError, match=says) as caught:
        load_pack(folder(tmp_path, text.replace(old, new, 1)))
    assert "\n" not in str(caught.value)


def test_a_place_is_of_one_region_in_all_files_of_a_pack(tmp_path: Path) -> None:
    folder(tmp_path, 'region = "East Asia"\n', NORM.format(id="JP-greetings-a"))
    (tmp_path / "more.toml").write_text('place = "JP"\n' + NORM.format(id="JP-greetings-b"), encoding="utf-8")
    with pytest.raises(InputError, match="JP is of the regions 'East Asia' and ''; expected one"):
        load_pack(tmp_path)


@pytest.mark.parametrize(
    ("boundaries", "says"),
    [
        (("", "https://example.org/other"), "judge 2: boundary is 'https://example.org/other'; expected the url"),
        (("https://example.org/greetings", ""), "judge: an item with boundary stands before one without"),
        (("https://example.org/greetings",), "judge: an item with boundary stands before one without"),
    ],
)
def test_a_boundary_rests_on_a_source_and_stands_after_the_items_on_the_norm(
    tmp_path: Path, boundaries: tuple[str, ...], says: str
) -> None:
    head, scene = NORM.split("[norm.judge]")
    asked = "".join(f'[[norm.judge]]{scene}boundary = "{each}"\n' for each in boundaries)
    with pytest.raises(InputError, match=says):
        load_pack(folder(tmp_path, (head + asked).format(id="JP-greetings-bow")))


def test_a_boundary_needs_no_answer_for_the_swapped_place(tmp_path: Path) -> None:
    ends = SECOND + 'boundary = "https://example.org/survey"\n'
    (only,) = load_pack(
        folder(tmp_path, (AGAIN + ends + SWAPPED.replace('["none", "a"]', '["none"]')).format(id="JP-greetings-bow"))
    ).norms
    assert [known.boundary for known in only.know] == ["", "https://example.org/survey"]
    assert only.swapped is not None
    assert only.swapped.know == ("none",)


def test_errata_come_with_the_pack_and_leave_its_fingerprint_as_it_is(tmp_path: Path) -> None:
    norm = NORM.format(id="JP-greetings-bow")
    before = load_pack(folder(tmp_path, norm))
    listed = '\n[[erratum]]\nitem = "know-JP-greetings-bow"\nchange = "b is true"\nwhy = "so the page"\nversion = "2"\n'
    after = load_pack(folder(tmp_path, norm, listed))
    assert [(each.item, each.change, each.version) for each in after.errata] == [
        ("know-JP-greetings-bow", "b is true", "2")
    ]
    assert (before.errata, before.fingerprint) == ((), after.fingerprint)
