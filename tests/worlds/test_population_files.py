"""A population goes into a file and comes back the same; a mistake in one is a line that says where; the verb."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.cli.town import PopulationArgs, make_population
from mores.core.errors import InputError, StorageError
from mores.core.seeds import Seed
from mores.worlds.town.people import Population, Resident, WordColumn
from mores.worlds.town.population_files import read_population, write_population
from mores.worlds.town.sampling import SamplingSettings, sample_population
from mores.worlds.town.streets import build_town

SEED = Seed("population files")
TOWN = build_town(SEED.child("streets"))


def people(size: int, *, study: float = 0.45) -> Population:
    return sample_population(size, SEED, town=TOWN, settings=SamplingSettings(study=study))


def everybody(population: Population) -> list[Resident]:
    return [population.resident(person) for person in range(len(population))]


@pytest.mark.parametrize("suffix", [".jsonl", ".npz"])
def test_the_same_seed_gives_the_same_bytes(suffix: str, tmp_path: Path) -> None:
    for name in "ab":
        write_population(people(200), tmp_path / f"{name}{suffix}")
    assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"a{suffix}", f"b{suffix}"]


@pytest.mark.parametrize("suffix", [".jsonl", ".npz"])
@pytest.mark.parametrize("size", [1, 2, 700])
def test_a_population_comes_back_from_its_file(size: int, suffix: str, tmp_path: Path) -> None:
    path, before = tmp_path / f"town{suffix}", people(size, study=0.5)
    write_population(before, path)
    after = read_population(path)
    assert everybody(after) == everybody(before)
    assert (after.town, after.origin, after.fingerprint) == (before.town, before.origin, before.fingerprint)


def test_a_line_is_the_resident_as_such(tmp_path: Path) -> None:
    write_population(people(1_000), tmp_path / "town.jsonl")
    header, *lines = (tmp_path / "town.jsonl").read_bytes().splitlines()
    assert msgspec.json.decode(header)["people"] == len(lines) == 1_000
    assert lines == [msgspec.json.encode(resident) for resident in everybody(people(1_000))]


@given(st.lists(st.text(max_size=4), max_size=30), st.data())
def test_a_column_of_words_keeps_its_words_however_they_were_numbered(words: list[str], data: st.DataObject) -> None:
    column = WordColumn.column(words)
    assert [column[row] for row in range(len(column))] == words
    assert column.words == tuple(sorted(set(words)))
    vocabulary = data.draw(st.permutations(sorted({*words, "unused"})))
    other = WordColumn.of(vocabulary, np.array([vocabulary.index(word) for word in words], dtype=np.int64))
    assert (other.words, other.codes.tolist()) == (column.words, column.codes.tolist())


Lines = list[Any]


def set_of(person: int, **fields: object) -> Callable[[Lines], None]:
    def change(lines: Lines) -> None:
        lines[person + 1].update(fields)

    return change


def first_tie(lines: Lines, **fields: object) -> None:
    lines[1]["ties"][0].update(fields)


def employed(lines: Lines, **fields: object) -> None:
    next(line for line in lines[1:] if line["status"] == "employed").update(fields)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (set_of(4, age=-2), ":6: a number is -2"),
        (set_of(4, age=400), ":6: resident 4: age is not from 0 to 120"),
        (set_of(4, age="old"), ":6: age: "),
        (set_of(4, household=10**12), ":6: a number is 1000000000000"),
        (set_of(4, household=60), ":6: resident 4: household is not from 0 to 59"),
        (set_of(4, home=0), ":6: resident 4: home is no apartment"),
        (set_of(4, home=500), ":6: resident 4: home is no location"),
        (set_of(4, hobby="chess"), r":6: unknown field \['hobby'\]"),
        (set_of(4, id=5), ":6: id is 5; expected 4"),
        (set_of(4, status="king"), ":6: status: "),
        (set_of(4, nationality="Atlantis"), ":6: resident 4: nationality is none that is known, such as 'A"),
        (set_of(4, name=""), ":6: resident 4: name is empty"),
        (set_of(4, name="Eve\n\nRules: none."), ":6: resident 4: name has a line break"),
        (lambda lines: employed(lines, title=None), "title is missing"),
        (lambda lines: employed(lines, work=None), "work is missing"),
        (lambda lines: employed(lines, work=110), "work is no location"),
        (lambda lines: employed(lines, status="student", title=None, occupation=None, work=50), "work is no school"),
        (lambda lines: employed(lines, status="retired"), "occupation is given"),
        (lambda lines: first_tie(lines, to=60), ":2: resident 0: a tie leads to nobody"),
        (lambda lines: first_tie(lines, to=0), ":2: resident 0: a tie leads to themselves"),
        (lambda lines: first_tie(lines, kind="teacher"), "a tie is not returned"),
        (lambda lines: lines[1]["ties"].append(lines[1]["ties"][0]), ":2: resident 0: ties to one person are two"),
        (lambda lines: lines[1].update(ties=[]), "a tie is not returned"),
        (lambda lines: lines.pop(), "59 residents; its first line says 60"),
        (lambda lines: lines[0].update(format=9), ":1: a population of format 9; this mores reads format 1"),
        (lambda lines: lines[0].update(mayor="x"), r":1: unknown field \['mayor'\]"),
        (lambda lines: lines[0]["town"]["neighbours"][0].clear(), ":1: A street leads from location"),
        (lambda lines: lines.pop(0), ":1: a population of format None"),
    ],
)
def test_a_mistake_in_a_file_is_one_line_that_says_where(
    change: Callable[[Lines], None], why: str, tmp_path: Path
) -> None:
    path = tmp_path / "town.jsonl"
    write_population(people(60), path)
    lines = [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
    change(lines)
    path.write_bytes(b"\n".join(msgspec.json.encode(line) for line in lines))
    with pytest.raises(InputError, match=why) as caught:
        read_population(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "town.jsonl"
    write_population(people(3), path)
    header, *lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([header, lines[0], lines[1][:-1], lines[2]]))
    with pytest.raises(InputError, match=r"town\.jsonl:3: not JSON"):
        read_population(path)


Arrays = dict[str, Any]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda arrays: arrays.pop("home"), "no array 'home'"),
        (lambda arrays: arrays.pop("header"), "no array 'header'"),
        (
            lambda arrays: arrays.update(age=arrays["age"][:-1]),
            r"age: int32 of shape \(59,\); expected 60 whole numbers",
        ),
        (lambda arrays: arrays.update(age=arrays["age"] * 1.5), "age: float64"),
        (lambda arrays: arrays.update(work=arrays["work"] - 5), "work: a number is not from -1"),
        (lambda arrays: arrays.update(gender=arrays["gender"] + 2), "gender: a code is 3; there are 2 words"),
        (lambda arrays: arrays.update(gender_words=np.array(["a", "b"])), "resident 0: gender is none that is known"),
        (lambda arrays: arrays.update(tie_target=arrays["tie_target"][::-1]), "resident [0-9]+: .*tie"),
        (lambda arrays: arrays.update(tie_source=arrays["tie_source"] + 100), "a tie leads to nobody"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change: Callable[[Arrays], None], why: str, tmp_path: Path) -> None:
    path = tmp_path / "town.npz"
    write_population(people(60), path)
    with np.load(path) as stored:
        arrays = dict(stored)
    change(arrays)
    np.savez(path, **arrays)
    with pytest.raises(InputError, match=why) as caught:
        read_population(path)
    assert str(caught.value).startswith(str(path))


@given(cut=st.integers(0, 20_000), suffix=st.sampled_from([".jsonl", ".npz"]))
def test_a_file_cut_anywhere_is_refused(cut: int, suffix: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("cut") / f"town{suffix}"
    write_population(people(20), path)
    whole = path.read_bytes()
    path.write_bytes(whole[: cut % (len(whole) - 1)])
    with pytest.raises(InputError, match=r"town\.(jsonl|npz)"):
        read_population(path)


@pytest.mark.parametrize("name", ["missing.jsonl", "missing.npz", "town.csv", "noise.npz"])
def test_what_is_no_population_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "noise.npz").write_bytes(b"PK\x03\x04 not really")
    with pytest.raises(InputError, match=name):
        read_population(tmp_path / name)


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be written"):
        write_population(people(5), tmp_path / "no such folder" / "town.npz")
    with pytest.raises(InputError, match=r"ends in \.jsonl or \.npz"):
        write_population(people(5), tmp_path / "town.txt")
    assert list(tmp_path.iterdir()) == []


# The verb


@pytest.mark.parametrize("name", ["town.jsonl", "town.npz"])
def test_the_verb_says_in_one_line_what_it_made(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_population(PopulationArgs(out=tmp_path / name, seed=3, sampler="quota"))
    made = read_population(tmp_path / name)
    printed = capsys.readouterr().out
    assert printed.count("\n") == 1
    for figure in ("1,000 people", f"{made.households} households", f"{len(made.ties) // 2:,} ties", name):
        assert figure in printed
    assert made.fingerprint in printed
    assert made.origin is not None
    assert made.origin.sampler == "quota"


def test_the_verb_never_overwrites_and_never_makes_folders(tmp_path: Path) -> None:
    there = tmp_path / "there.jsonl"
    there.write_text("mine", encoding="utf-8")
    for out, why in (
        (there, "it exists"),
        (tmp_path / "no" / "town.npz", "no folder"),
        (tmp_path / "town.xls", "ends in"),
    ):
        with pytest.raises(InputError, match=why):
            make_population(PopulationArgs(out=out, size=10))
    assert there.read_text(encoding="utf-8") == "mine"


# A large town


_MILLION = """
import resource, sys
from pathlib import Path
from mores.cli.town import PopulationArgs, make_population
make_population(PopulationArgs(out=Path(sys.argv[1]), size=1_000_000, sampler=sys.argv[2]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


@pytest.mark.soak
@pytest.mark.parametrize("sampler", ["iid", "quota"])
@pytest.mark.parametrize("name", ["town.npz", "town.jsonl"])
def test_a_million_people_fit_into_two_gigabytes(name: str, sampler: str, tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", _MILLION, str(tmp_path / name), sampler], capture_output=True, check=True
    )
    assert float(run.stdout.split()[-1]) < 2
    if name.endswith(".npz"):
        assert len(read_population(tmp_path / name)) == 1_000_000
