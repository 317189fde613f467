"""`mores list`, `mores show`, `mores doctor data` and `mores doctor`, as somebody at a terminal meets them."""

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mores.benchmarks import catalogue
from mores.benchmarks.item_figures import figures_of
from mores.cli import main as command_line
from mores.cli import screen
from mores.cli.doctor import DataCheckArgs, DoctorArgs, check_data, examine
from mores.cli.list_show import LISTINGS, ListArgs, ShowArgs, list_things, show
from mores.cli.show_details import items_of
from mores.core.codec import parse_json
from mores.core.errors import InputError, UnknownName
from mores.models.provider import providers
from mores.norms.pack import load_pack
from tests.benchmarks.plays import TINY
from tests.runs.conduct import Typed, mores

Printed = pytest.CaptureFixture[str]
EASY = ["data_idx", "question_idx", "prompt_question", *(f"prompt_option_{x}" for x in "abcd"), "answer", "country"]


def easy_row(index: int, answer: str = "a", country: str = "Japan") -> list[str]:
    return [
        str(index),
        str(index),
        f"Which of four is number {index}?",
        "red",
        "green",
        "blue",
        "no colour",
        answer,
        country,
    ]


@pytest.fixture
def easy(tmp_path: Path) -> Path:
    rows = [easy_row(0, "a"), easy_row(1, "a"), easy_row(2, "a", "Nigeria"), easy_row(3, "c")]
    return written(tmp_path / "culturalbench-easy.csv", rows)


def written(path: Path, rows: list[list[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([EASY, *rows])
    return path


def printed_json(capsys: Printed) -> dict[str, list[dict[str, object]]]:
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    found = parse_json(out, where="standard output")
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("kind", [kind for kind in LISTINGS if kind != "runs"])
def test_every_list_fits_eighty_columns_and_comes_as_json_too(kind: str, capsys: Printed) -> None:
    list_things(ListArgs(kind=kind))
    lines = capsys.readouterr().out.splitlines()
    list_things(ListArgs(kind=kind, json=True))
    rows = printed_json(capsys)[kind]
    assert len(lines) > len(rows) > 0
    assert max(map(len, lines)) <= 80


def test_the_list_of_benchmarks_is_the_catalogue(capsys: Printed) -> None:
    list_things(ListArgs(kind="benchmarks", json=True))
    assert [row["name"] for row in printed_json(capsys)["benchmarks"]] == list(catalogue.names())


def test_the_list_of_models_names_variables_and_never_values(capsys: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    for json in (True, False):
        list_things(ListArgs(kind="models", json=json))
        out = capsys.readouterr().out
        assert "OPENAI_API_KEY" in out
        assert "secret" not in out


def test_the_list_of_models_has_each_kind_that_can_be_named(capsys: Printed) -> None:
    list_things(ListArgs(kind="models", json=True))
    kinds = {str(row["name"]).partition("/")[0] for row in printed_json(capsys)["models"]}
    assert kinds >= {*providers()}


@pytest.mark.parametrize("name", catalogue.names())
def test_every_card_is_shown_with_its_metrics_and_without_data(name: str, capsys: Printed) -> None:
    show(ShowArgs(name=name))
    out = capsys.readouterr().out
    assert all(metric.name in out for metric in catalogue.card(name).metrics)
    assert max(map(len, out.splitlines())) <= 80


def test_a_family_shows_all_its_benchmarks(capsys: Printed) -> None:
    show(ShowArgs(name="ladder", json=True))
    rows = printed_json(capsys)["benchmarks"]
    assert len(rows) == len(catalogue.resolve("ladder"))
    assert all(row["items"] for row in rows)


def test_data_brings_figures_of_items(easy: Path, capsys: Printed) -> None:
    show(ShowArgs(name="culturalbench/easy", data=easy))
    out = capsys.readouterr().out
    assert "2: JP 3, NG 1" in out
    assert "75 %" in out


def test_item_ids_come_one_a_line_in_the_order_of_the_data(easy: Path, capsys: Printed) -> None:
    show(ShowArgs(name="culturalbench/easy", data=easy.parent, items=True))
    expected = "easy-0\tJP\ta\neasy-1\tJP\ta\neasy-2\tNG\ta\neasy-3\tJP\tc\n"
    assert capsys.readouterr().out == expected


def test_ids_without_the_data_are_asked_for_in_vain() -> None:
    with pytest.raises(InputError, match="no such file"):
        show(ShowArgs(name="culturalbench/easy", data=Path("nowhere"), items=True))


def test_ids_of_a_benchmark_that_needs_data_name_the_flag() -> None:
    with pytest.raises(InputError, match="--data"):
        show(ShowArgs(name="culturalbench/easy", items=True))


def test_always_the_first_letter_gets_the_share_of_that_letter(easy: Path) -> None:
    figures = figures_of(catalogue.load("culturalbench/easy"), items_of("culturalbench/easy", easy), ("place",))
    first = figures.always[0]
    assert (first.label, first.gold, first.items, first.units) == ("a", 3, 0.75, 0.75)
    assert first.baseline == "baseline/first"


def test_options_are_counted_word_by_word(easy: Path) -> None:
    options = figures_of(catalogue.load("culturalbench/easy"), items_of("culturalbench/easy", easy), ()).words["option"]
    # red, green, blue and "no colour", four times: (1 + 1 + 1 + 2) / 4
    assert (options.texts, options.mean, options.least, options.most) == (16, 1.25, 1, 2)


def test_no_one_label_wins_a_norm_of_four_statements() -> None:
    figures = figures_of(catalogue.load("ladder/know"), items_of("ladder/know", None), ())
    assert all(0 < label.items < 1 and label.units == 0 for label in figures.always)
    assert sum(label.items for label in figures.always) == pytest.approx(1)


def test_a_place_is_found_by_any_of_its_names(capsys: Printed) -> None:
    for name in ("JP", "Japan", "japanese"):
        show(ShowArgs(name=name))
        out = capsys.readouterr().out
        assert "Japan (JP)" in out
        assert "East Asia" in out


def test_a_norm_is_shown_with_its_source_and_that_nobody_was_asked(capsys: Printed) -> None:
    entry = load_pack().norms[0]
    show(ShowArgs(name=entry.norm.id))
    out = capsys.readouterr().out
    assert entry.norm.sources[0].looked_up in out
    assert "nobody was asked" in out


def own_pack(folder: Path) -> Path:
    """A pack of one norm, which nobody verified and about which people were asked."""
    plain = (TINY / "ladder" / "DE.toml").read_text(encoding="utf-8").replace("verified = true", "verified = false")
    folder.mkdir()
    (folder / "DE.toml").write_text(plain.replace("[[norm]]", "[[norm]]\nagreement = 0.9", 1), encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["DE", "pack"])
def test_a_place_and_a_pack_say_how_far_their_norms_were_checked(name: str, tmp_path: Path, capsys: Printed) -> None:
    show(ShowArgs(name=name))
    plain = " ".join(capsys.readouterr().out.split())
    assert "norms none is unverified; nobody was asked yet whether people there agree." in plain
    own = own_pack(tmp_path / "own")
    said = "Of 1 norm 1 is unverified (no page of the source could be opened); people were asked about 1."
    show(ShowArgs(name=name, data=own))
    assert said in " ".join(capsys.readouterr().out.split())
    show(ShowArgs(name=name, data=own, json=True))
    assert said in capsys.readouterr().out


def test_a_place_lists_ids_that_can_be_shown(capsys: Printed) -> None:
    show(ShowArgs(name="JP"))
    out = capsys.readouterr().out
    assert all(entry.norm.id in out for entry in load_pack().norms if entry.norm.place == "JP")


@pytest.mark.parametrize("name", ["JP", "pack", "ladder/know"])
def test_what_is_shown_of_norms_wants_a_folder_that_is_there(name: str, easy: Path) -> None:
    for wrong, why in ((Path("nowhere"), "no such folder"), (easy, "a file")):
        with pytest.raises(InputError, match=f"--data .*{why}; .* expected a folder with pack.toml"):
            show(ShowArgs(name=name, data=wrong))


def test_a_folder_is_the_same_pack_to_show_as_to_run(tmp_path: Path, easy: Path, capsys: Printed) -> None:
    own = own_pack(tmp_path / "own")
    show(ShowArgs(name="pack", data=own, json=True))
    assert capsys.readouterr().out.startswith('{"id":"own"')
    show(ShowArgs(name="ladder/judge", data=own, items=True))
    assert len(capsys.readouterr().out.splitlines()) == len(load_pack(own).norms)
    show(ShowArgs(name="pack", data=easy.parent))
    out = " ".join(capsys.readouterr().out.split())
    assert (
        f"The folder of --data has no pack of norms: the bundled pack mores, version {load_pack().version}, was used."
        in out
    )


def test_the_pack_and_its_norms_come_as_json(capsys: Printed) -> None:
    pack = load_pack()
    show(ShowArgs(name="pack", json=True))
    assert capsys.readouterr().out.startswith(f'{{"id":"{pack.id}"')
    show(ShowArgs(name=pack.norms[0].norm.id, json=True))
    assert '"statement"' in capsys.readouterr().out


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="culturalbench/hard"):
        show(ShowArgs(name="culturalbench/hart"))


def test_a_check_says_where_the_data_departs_from_the_card(easy: Path, capsys: Printed) -> None:
    check_data(DataCheckArgs(name="culturalbench/easy", data=easy))
    assert "4 items, where the card has 1,227" in capsys.readouterr().out


def test_the_bundled_pack_is_as_its_cards_say(capsys: Printed) -> None:
    check_data(DataCheckArgs(name="ladder", json=True))
    checked = printed_json(capsys)["checked"]
    assert [row["departures"] for row in checked] == [[]] * len(checked)


def test_a_check_of_all_leaves_out_what_is_not_there(easy: Path, capsys: Printed) -> None:
    check_data(DataCheckArgs(data=easy.parent, everything=True, json=True))
    found = printed_json(capsys)
    assert "culturalbench/easy" in [row["benchmark"] for row in found["checked"]]
    assert "culturalbench/hard" in str(found["absent"])


def test_equal_questions_with_unlike_answers_are_pointed_out(tmp_path: Path, capsys: Printed) -> None:
    twin = [*easy_row(0, "a")]
    other = [*easy_row(0, "b")]
    other[1] = "1"
    path = written(tmp_path / "culturalbench-easy.csv", [twin, other])
    check_data(DataCheckArgs(name="culturalbench/easy", data=path))
    assert "words with different gold labels: 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([easy_row(0, "e")], "culturalbench-easy.csv:2: answer is 'e'"),
        ([easy_row(0, country="Jappan")], "Did you mean 'Japan'"),
        ([easy_row(0), easy_row(0)], "stands twice"),
        ([easy_row(0)[:-1]], "not as many cells"),
        ([], "no rows"),
    ],
)
def test_malformed_data_is_one_line_that_says_where(tmp_path: Path, rows: list[list[str]], says: str) -> None:
    path = written(tmp_path / "culturalbench-easy.csv", rows)
    with pytest.raises(InputError) as caught:
        check_data(DataCheckArgs(name="culturalbench/easy", data=path))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("name", "everything"), [(None, False), ("ladder", True)])
def test_a_check_wants_a_name_or_all_and_not_both(name: str | None, everything: bool) -> None:
    with pytest.raises(InputError, match="--all"):
        check_data(DataCheckArgs(name=name, everything=everything))


def test_the_doctor_recovers_what_was_planted(tmp_path: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    examine(DoctorArgs(json=True))
    results = printed_json(capsys)["findings"]
    states = {str(row["name"]): row["state"] for row in results}
    assert states["self-test"] == states["journal"] == "ok"
    assert "broken" not in states.values()
    assert "secret" not in str(results)
    assert not list(tmp_path.iterdir())


def test_a_doctor_who_finds_something_broken_says_so(monkeypatch: pytest.MonkeyPatch, capsys: Printed) -> None:
    monkeypatch.setattr("mores.cli.doctor.SURE", 0.0)
    monkeypatch.setattr(sys, "argv", ["mores", "doctor"])
    with pytest.raises(SystemExit) as caught:
        command_line.main()
    assert caught.value.code == 1
    assert "BROKEN" in capsys.readouterr().out


def test_names_with_brackets_are_printed_as_they_are(capsys: Printed) -> None:
    screen.facts({"slot": "[[place]] [bold]x[/bold]"})
    assert "[[place]] [bold]x[/bold]" in capsys.readouterr().out


@pytest.mark.parametrize(
    "typed", [["list", "foo"], ["show"], ["data", "fetch"], ["data", "check"], ["show", "no such thing"]]
)
def test_what_cannot_be_used_is_one_line_and_exit_two(typed: list[str], tmp_path: Path) -> None:
    ended = mores(*typed, cwd=tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)


@pytest.fixture(scope="module")
def loaded() -> frozenset[str]:
    """The modules that the command line loads before it knows what is asked."""
    words = "import sys, mores.cli.app; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    return frozenset(told.stdout.split())


@pytest.mark.parametrize("heavy", ["numpy", "scipy", "rich.console", "pycurl", "pydantic", "genai_prices", "jinja2"])
def test_help_loads_nothing_heavy(heavy: str, loaded: frozenset[str]) -> None:
    assert "mores.cli.app" in loaded
    assert heavy not in loaded


def test_the_published_data_are_as_their_cards_say(data: Path, capsys: Printed) -> None:
    check_data(DataCheckArgs(data=data, everything=True, json=True))
    checked = printed_json(capsys)["checked"]
    whole = [row for row in checked if not str(row["benchmark"]).startswith("cure/culturebank")]
    assert len(whole) >= 4
    assert not [row for row in whole if "where the card has" in str(row["departures"])]


def test_the_skew_of_culturalbench_is_what_was_published(data: Path) -> None:
    figures = figures_of(catalogue.load("culturalbench/easy"), items_of("culturalbench/easy", data), ())
    assert round(figures.always[0].items, 2) == 0.54


def test_runs_are_listed_with_how_far_they_are(typed: Typed, tmp_path: Path) -> None:
    typed("run", "ladder/judge", "--limit", 9)
    typed("run", "ladder/explain", "--limit", 9, "--max-calls", 5)
    (tmp_path / "runs" / "other").mkdir()
    (tmp_path / "runs" / "other" / "manifest.json").write_text("{}", encoding="utf-8")
    rows = parse_json(typed("list", "runs", "--json").stdout, where="standard output")["runs"]
    by_state = {row["state"].partition(":")[0]: row for row in rows}
    assert set(by_state) == {"finished", "unfinished", "cannot be read"}
    done, _, of = by_state["finished"]["plays"].partition(" of ")
    assert done == of
    assert by_state["finished"]["calls"] == int(of) >= 2 * 9  # two scenes a norm, and those at its boundary
    assert by_state["unfinished"]["benchmarks"] == "ladder/explain"
    assert 0 < by_state["unfinished"]["calls"] <= 5
    assert "runs/" in typed("list", "runs").stdout


def test_items_of_dialogues_name_the_place_of_the_custom_and_that_of_the_value(capsys: Printed) -> None:
    show(ShowArgs(name="socialcc/dialogue", data=TINY / "socialcc", items=True))
    head, first, *_ = capsys.readouterr().out.splitlines()
    assert head.split("\t") == ["item", "place of the custom", "place of the value"]
    assert first.split("\t") == ["socialcc-3", "JP", "NL"]
    show(ShowArgs(name="socialcc/dialogue", data=TINY / "socialcc"))
    out = capsys.readouterr().out
    assert "place of the custom" in out
    assert "place of the value" in out


def test_each_simulated_model_says_what_it_does(capsys: Printed) -> None:
    list_things(ListArgs(kind="models", json=True))
    about = {str(row["name"]): str(row["about"]) for row in printed_json(capsys)["models"]}
    assert "planted knowledge: know 0.8, judge 0.7" in about["simulated/typical"]
    assert about["simulated/judge"].startswith("judges by what was planted")
    assert "an antagonist or a supporter" in about["simulated/tempter"]


@pytest.mark.parametrize("columns", [40, 80])
def test_lines_hang_and_no_word_is_broken(columns: int, capsys: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    words = "https://example.org/a-page-with-a-name-that-is-longer-than-forty-columns and some words after it"
    screen.line(f"First {words} {words}")
    screen.facts({"address": words})
    screen.table(("name", "about"), [("one", words)])
    out = capsys.readouterr().out
    first, *others = out.splitlines()
    assert first.startswith("First")
    assert others[0].startswith("  ")
    assert out.split().count("https://example.org/a-page-with-a-name-that-is-longer-than-forty-columns") == 4


def test_prompts_are_shown_by_the_names_that_a_run_takes_with_where_the_published_ones_stand(capsys: Printed) -> None:
    show(ShowArgs(name="prompts", json=True, of="cure"))
    rows = {row["prompt"]: row for row in printed_json(capsys)["prompts"]}
    held = {key for name in catalogue.resolve("cure") for key in catalogue.prompts(name)}
    assert rows.keys() == held
    thick = rows["subject/normad_thick"]
    assert thick["published"] == "CURE (2025), appendix A, NormAd (Thick Setting)"
    assert "cure_scenarios.py" in str(thick["released"])
    assert thick["words"] == catalogue.prompts("cure/normad_thick")["subject/normad_thick"].body
    show(ShowArgs(name="prompts", of="cure"))
    out = capsys.readouterr().out
    assert all(key in out for key in held)
    assert str(thick["words"]) in out


@pytest.mark.parametrize(
    ("name", "of", "says"),
    [
        ("prompts", None, "expected a benchmark or a family, such as: mores show prompts cure"),
        ("prompts", "curee", "No benchmark is called 'curee'. Did you mean 'cure'"),
        ("cure", "prompts", "mores show cure prompts: expected one name, or: mores show prompts"),
    ],
)
def test_prompts_of_nothing_are_not_shown(name: str, of: str | None, says: str) -> None:
    with pytest.raises(InputError, match=re.escape(says)):
        show(ShowArgs(name=name, of=of))
