"""Speakers of a language check a translated pack in the studio, line by line, and the pack says how many did."""

import csv
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from mores.cli.build_packs import REMARKS, PackArgs, SpeakersArgs, build_pack, build_speakers
from mores.core.errors import InputError
from mores.norms.pack import load_pack, read_header
from mores.studio.design import design_of, make_from
from mores.studio.flows.exporting import export_files
from mores.studio.flows.fields import Posted
from mores.studio.flows.flow import flow_named
from mores.studio.flows.importing import import_file
from mores.studio.models import ItemVersion, Project
from tests.studio import made
from tests.studio.answering import answer_all, typed

YES = {"meaning": ["Yes"], "language": ["Yes"], "respect": ["Yes"]}
CHANGED = YES | {"meaning": ["No"], "better": ["2: it says after, and not before."]}
UNSURE: Posted = {name: ["I cannot tell"] for name in YES}
Says = Callable[[str], Posted]


@pytest.fixture(scope="module")
def translation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A translation of three norms into Arabic by a simulated writer."""
    out = tmp_path_factory.mktemp("translation") / "ar"
    roles = ("--role", "writer=simulated/expert", "--role", "checker=simulated/typical")
    typed("build", "translate", "pack", "--language", "ar", "--place", "JP", "--limit", 3, *roles, "--out", out)
    return out


def checked(project_files: Path, tmp_path: Path, people: Mapping[str, Says]) -> Path:
    """The export of a project in which people said this of each part; their quota is their number."""
    design = (project_files / "design.toml").read_text().replace("quota = 2", f"quota = {len(people)}")
    project = make_from(design, where="design.toml", owners=[])
    import_file(project, project_files / "items.csv")
    for person, says in zip(made.annotators(project, len(people)), people.values(), strict=True):
        answer_all(person, lambda key, _words, says=says: says(key))  # type: ignore[misc]
    answers = tmp_path / "answers.csv"
    answers.write_bytes(export_files(project, "answers")["answers.csv"])
    return answers


def ids(folder: Path) -> list[str]:
    return [entry.norm.id for entry in load_pack(folder).norms]


def items_of(folder: Path) -> set[str]:
    with (folder / "items.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row["id"] for row in csv.DictReader(file)}


def test_norms_whose_parts_most_speakers_find_right_make_a_checked_pack(
    studio: object, translation: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, third = ids(translation / "pack")
    people: dict[str, Says] = {
        "a": lambda key: CHANGED if key.startswith(f"{second} scenes") else YES,
        "b": lambda key: CHANGED if key.startswith(second) else YES,
        "c": lambda key: UNSURE if key.startswith(third) else YES,
    }
    answers, out = checked(translation / "speakers", tmp_path, people), tmp_path / "checked"
    build_pack(PackArgs(source=str(translation / "pack"), speakers=[answers], out=out))
    # Of the scenes of the second two of three say that the meaning is changed.
    assert ids(out) == [first, third]
    header = read_header(out)
    # Of the third only two could tell; the fingerprint of the English pack is kept.
    assert (header.checked, header.language, header.translated_from) == (2, "ar", load_pack().fingerprint)
    assert header.version.endswith("+speakers")
    assert load_pack(out).norms[0] == load_pack(translation / "pack").norms[0]
    with (out / REMARKS).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["unit"], row["meaning"], row["better"]) for row in rows} == {
        (second, "No", "2: it says after, and not before.")
    }
    said = capsys.readouterr().out
    assert f"Left out, not found right: 1 ({second})" in " ".join(said.split())
    assert "meaning" in said
    typed("run", "ladder/know", "--data", out, "--model", "simulated/expert", "--out", tmp_path / "run")
    assert (
        "a translation into Arabic, which 2 of its speakers have checked" in (tmp_path / "run/report.html").read_text()
    )


def test_a_tie_is_not_found_right_and_what_nobody_could_tell_is_not_checked(
    studio: object, translation: Path, tmp_path: Path
) -> None:
    first, second, third = ids(translation / "pack")
    people: dict[str, Says] = {
        "a": lambda key: CHANGED if key.startswith(first) else UNSURE if key.startswith(third) else YES,
        "b": lambda key: UNSURE if key.startswith(third) else YES,
    }
    answers, out = checked(translation / "speakers", tmp_path, people), tmp_path / "checked"
    build_pack(PackArgs(source=str(translation / "pack"), speakers=[answers], out=out))
    assert ids(out) == [second]
    assert read_header(out).checked == 2


def test_answers_about_texts_that_were_mended_since_count_for_nothing(
    studio: object, translation: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = checked(translation / "speakers", tmp_path, {"a": lambda _key: YES})
    mended = tmp_path / "mended"
    mended.mkdir()
    statement = load_pack(translation / "pack").norms[0].norm.statement
    for path in (translation / "pack").iterdir():
        (mended / path.name).write_text(path.read_text().replace(statement, f"{statement} نص", 1))
    build_pack(PackArgs(source=str(mended), speakers=[answers], out=tmp_path / "checked"))
    assert ids(tmp_path / "checked") == ids(mended)[1:]
    said = " ".join(capsys.readouterr().out.split())
    assert "Left out, not read by anybody in all parts: 1" in said
    assert "answers are about texts that were changed since" in said
    # The project for a second round is written from the pack as it is now.
    build_speakers(SpeakersArgs(pack=mended, out=tmp_path / "again"))
    before, now = (items_of(folder) for folder in (translation / "speakers", tmp_path / "again"))
    assert len(before) == len(now)
    assert {item.rpartition(" ")[0] for item in now - before} == {f"{ids(mended)[0]} norm"}


def test_speakers_read_each_line_beside_the_english_one_in_its_own_direction(studio: object, translation: Path) -> None:
    project = make_from((translation / "speakers" / "design.toml").read_text(), where="design.toml", owners=[])
    import_file(project, translation / "speakers" / "items.csv")
    held: Project = Project.objects.get()
    words = ItemVersion.objects.filter(item__key__contains=" questions ").first()
    assert words is not None
    (passage,) = flow_named("form").sheet(words.payload, held).passages
    assert passage.next_to is not None
    assert (passage.language, passage.next_to.language) == ("en", "ar")
    known = load_pack(translation / "pack").norms[0].know
    assert len(passage.lines) == sum(1 + len(item.options) for item in known)
    assert all(english.startswith(("Question: ", "Answer: ")) and other for english, other in passage.lines)
    assert b'language = "ar"' in design_of(held)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("id,answer\n", "no answers to a form; expected answers.csv of the studio's export of a check by speakers"),
        ("JP-x norm 12345678,meaning,Yes,a\n", "no part 'JP-x norm 12345678'; name the pack that speakers checked"),
        ("{id},meaning\n", "answer is ''; expected Yes, No, I cannot tell"),
        ("{id},meaning,Perhaps,a\n", "answer is 'Perhaps'; expected Yes, No, I cannot tell"),
        ("{id},meaning,Yes,a\n{id},meaning,No,a\n", "a second answer of 'a' to meaning of"),
        (
            "{stem} 00000000,meaning,Yes,a\n",
            "no answer about the texts as they are; 1 are about texts that were changed",
        ),
        ("{id},meaning,Yes,a\n", "speakers find no norm right in all of its parts; nothing was written"),
    ],
)
def test_answers_that_are_none_are_refused_in_a_line_and_nothing_is_written(
    translation: Path, tmp_path: Path, rows: str, says: str
) -> None:
    with (translation / "speakers" / "items.csv").open(encoding="utf-8-sig", newline="") as file:
        item = next(csv.DictReader(file))["id"]
    answers = tmp_path / "answers.csv"
    head = "" if rows.startswith("id,") else "id,question,answer,person\n"
    answers.write_text(head + rows.format(id=item, stem=item.rpartition(" ")[0]))
    with pytest.raises(InputError, match=says):
        build_pack(PackArgs(source=str(translation / "pack"), speakers=[answers], out=tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_pack_that_is_no_translation_and_a_copy_without_answers_are_refused(
    translation: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="no translation; expected one made by mores build translate"):
        build_speakers(SpeakersArgs(pack=Path("pack"), out=tmp_path / "out"))
    with pytest.raises(InputError, match="No answers: expected --agreement FILE"):
        build_pack(PackArgs(source="pack", out=tmp_path / "out"))
    with pytest.raises(InputError, match=r"--place KE: .* has no norms of it; it has some of JP"):
        build_speakers(SpeakersArgs(pack=translation / "pack", place=["Kenya"], out=tmp_path / "out"))
    assert (translation / "pack" / "pack.toml").is_file()
