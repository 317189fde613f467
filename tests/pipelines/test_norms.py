"""Norm bases: from every source, each norm once, labelled by three models, negated, bundled, and gone on with."""

import asyncio
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from mores.core.errors import InputError, StorageError
from mores.core.seeds import Seed
from mores.models.cast import Cast
from mores.models.request import CallFailed, Reply, Request
from mores.models.similarity import Embedder, embedder_named
from mores.norms.pack import load_pack
from mores.pipelines.duplicates import VECTORS, KeptVectors
from mores.pipelines.funnel import Dropped, Kept
from mores.pipelines.norms.norm_base_file import BASE, BuiltNorm, read_base
from mores.pipelines.norms.pipeline import BUNDLES, NormsOptions, norms_pipeline
from mores.pipelines.norms.sources import gather
from mores.pipelines.pipeline import DATASHEET, DROPPED, PICTURE, BuildResult, build
from mores.runs.spec import ExecutionSpec
from tests.pipelines.scripted import Scripted

ROLES = {
    "labeller": "simulated/typical", "labeller2": "simulated/typical:person=2", "labeller3": "simulated/expert",
    "writer": "simulated/typical:person=3",
}  # fmt: skip
HEAD = "id,place,statement,source,domain,topic,strictness,negation,agreement\n"


class Letters:
    """An embedder that counts letters."""

    identity = "letters"

    def __call__(self, texts: object) -> list[list[float]]:
        assert isinstance(texts, list)
        return [[float(text.count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]


def table(path: Path, *rows: str) -> Path:
    path.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def made(folder: Path, options: NormsOptions, conditions: ExecutionSpec | None = None) -> BuildResult:
    pipeline = norms_pipeline(options)
    addresses = dict.fromkeys(pipeline.roles.values())
    return asyncio.run(
        build(pipeline, folder, conditions or ExecutionSpec(), seed=Seed("mores-0"), addresses=addresses)
    )


def sheet(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / DATASHEET).read_text())
    return found


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return table(
        tmp_path / "mine.csv",
        "a,Japan,Shoes come off at the door.,A page,etiquette,Homes,no,Shoes stay on at the door.,.9",
        "b,Japan,SHOES come off at the door,A page,etiquette,Homes,,,",
        "c,Japanese,Guests bring a small gift.,A page,etiquette,Homes,,,",
        "d,Atlantis,People swim.,A page,,,,,",
        "e,Nigeria,Elders are greeted first.,A page,Greetings,Elders,yes,,",
        "f,Nigeria,The right hand gives and takes.,A page,greetings,Elders,sometimes,,",
        "g,Nigeria,,A page,,,,,",
    )


def test_a_row_is_kept_or_dropped_with_its_reason(rows: Path) -> None:
    found = gather([str(rows)])
    assert [norm.id for norm in found.norms] == ["a", "b", "c", "f"]
    assert {each.unit: each.reason for each in found.dropped} == {
        "d": "names no place that is known", "e": "acceptable to act against, as its source says", "g": "has no words",
    }  # fmt: skip
    first = found.norms[0]
    assert (first.place, first.domain, first.strictness, first.agreement) == ("JP", "etiquette", "no", 0.9)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("a,Japan,Words.,A page,cooking,,,,", "domain is 'cooking'"),
        ("a,Japan,Words.,A page,,,always,,", "strictness is 'always'"),
        ("a,Japan,Words.,A page,,,,,7", "agreement is '7'"),
        (",Japan,Words.,A page,,,,,", "id"),
    ],
)
def test_a_cell_that_cannot_be_used_is_refused_with_its_line(tmp_path: Path, row: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        gather([str(table(tmp_path / "bad.csv", row))])


def test_a_table_of_unknown_columns_names_those_that_are_known(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("one,two\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"columns are one, two; expected those of CultureBank"):
        gather([str(tmp_path / "x.csv")])


def test_the_bundled_pack_is_a_source_with_all_that_it_says() -> None:
    found = gather(["pack"])
    assert len(found.norms) == found.rows == len(load_pack().norms)
    assert all(norm.negation and norm.strictness and "http" in norm.source for norm in found.norms)


def test_a_base_is_made_by_simulated_models_and_says_so(tmp_path: Path, rows: Path) -> None:
    built = made(tmp_path / "out", NormsOptions(sources=(str(rows),), roles=ROLES))
    assert built.finished
    base = read_base(tmp_path / "out" / BASE)
    assert base.head.simulated
    assert not base.head.checked_by_people
    assert [norm.id for norm in base.norms if norm.duplicates] == ["a"]
    assert all(norm.negation for norm in base.norms)
    assert sheet(tmp_path / "out")["simulated"] is True
    lost = [json.loads(line) for line in (tmp_path / "out" / DROPPED).read_text().splitlines()]
    assert {each["unit"]: each["reason"] for each in lost}["b"] == "same words as another norm"
    came = [step.came for step in built.funnel]
    assert came[0] == 7
    assert came == sorted(came, reverse=True)
    assert built.funnel[-1].passed == len(base.norms)


def test_the_same_build_again_asks_nothing_and_changes_no_byte(tmp_path: Path, rows: Path) -> None:
    options = NormsOptions(sources=(str(rows),), roles=ROLES)
    made(tmp_path / "out", options)
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir() if path.suffix.startswith(".json")}
    made(tmp_path / "out", options, ExecutionSpec(max_calls=0))
    assert {name: (tmp_path / "out" / name).read_bytes() for name in before} == before


def test_a_build_that_ran_out_of_budget_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    options = NormsOptions(sources=("pack", str(table(tmp_path / "m.csv", *(
        f"x{i},Japan,Custom number {i} of many.,A page,,,,," for i in range(30)
    )))), roles=ROLES)  # fmt: skip
    made(tmp_path / "whole", options)
    with pytest.raises(Exception, match="calls"):
        made(tmp_path / "cut", options, ExecutionSpec(max_calls=40))
    assert not (tmp_path / "cut" / BASE).exists()
    made(tmp_path / "cut", options)
    for name in (BASE, DROPPED, DATASHEET, "manifest.json"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_another_build_in_the_folder_is_refused_by_what_differs(tmp_path: Path, rows: Path) -> None:
    made(tmp_path / "out", NormsOptions(sources=(str(rows),)))
    with pytest.raises(InputError, match=r"another build is there \(other roles"):
        made(tmp_path / "out", NormsOptions(sources=(str(rows),), roles=ROLES))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "note.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="something else"):
        made(tmp_path / "mine", NormsOptions(sources=(str(rows),)))


def outcome(script: object, norm: BuiltNorm) -> tuple[object, Scripted]:
    voice = Scripted(script)  # type: ignore[arg-type]
    pipeline = norms_pipeline(NormsOptions(sources=("pack",), roles=ROLES))
    return asyncio.run(pipeline.outcome_of(norm, Cast(dict.fromkeys(ROLES, voice)))), voice


NORM = BuiltNorm(id="n", place="JP", statement="Shoes come off at the door.", source="A page")


def by_role(**said: str | Reply | CallFailed) -> object:
    def script(request: Request) -> str | Reply | CallFailed:
        return said[request.tag.role]

    return script


NEGATED = '{"negation": "Shoes stay on in the house."}'


@pytest.mark.parametrize(
    ("votes", "strictness"),
    [
        (("No", "No", "No"), "no"),
        (("No", "Sometimes", "No"), "sometimes"),
        (("Sometimes", "Sometimes", "Sometimes"), "sometimes"),
    ],
)
def test_three_labels_are_put_together_as_in_the_paper(votes: tuple[str, ...], strictness: str) -> None:
    said = {
        role: f'{{"answer": "{vote}"}}'
        for role, vote in zip(("labeller", "labeller2", "labeller3"), votes, strict=True)
    }
    found, _ = outcome(by_role(**said, writer=NEGATED), NORM)
    assert isinstance(found, Kept)
    assert (found.value.strictness, found.value.votes) == (strictness, votes)


def test_one_yes_drops_the_norm_and_no_negation_is_paid_for() -> None:
    said = {"labeller": '{"answer": "No"}', "labeller2": '{"answer": "Yes"}', "labeller3": '{"answer": "No"}'}
    found, voice = outcome(by_role(**said, writer=NEGATED), NORM)
    assert isinstance(found, Dropped)
    assert found.reason == "acceptable to act against"
    assert voice.by_role["writer"] == 0


def test_a_labeller_that_refuses_leaves_no_label_and_the_norm_stays() -> None:
    said = {"labeller": '{"answer": "No"}', "labeller2": "I'm sorry, I cannot say.", "labeller3": '{"answer": "No"}'}
    found, _ = outcome(by_role(**said, writer=NEGATED), NORM)
    assert isinstance(found, Kept)
    assert (found.value.strictness, found.value.votes) == (None, ("No", "refusal", "No"))


def test_a_labeller_that_cannot_be_reached_leaves_the_norm_waiting() -> None:
    down = CallFailed("http 503", passing=True)
    found, _ = outcome(
        by_role(labeller='{"answer": "No"}', labeller2=down, labeller3='{"answer": "No"}', writer=NEGATED), NORM
    )
    assert isinstance(found, Dropped)
    assert (found.transient, found.reason) == (True, "http 503")


@pytest.mark.parametrize("said", ["shoes come off at the door!", "No.", "x" * 500])
def test_a_negation_that_is_none_is_not_taken(said: str) -> None:
    strict = dict.fromkeys(("labeller", "labeller2", "labeller3"), '{"answer": "No"}')
    found, voice = outcome(by_role(**strict, writer=json.dumps({"negation": said})), NORM)
    assert isinstance(found, Kept)
    assert (found.value.negation, found.value.unnegated) == ("", "no usable reply")
    assert voice.by_role["writer"] == 3


def test_labels_of_fewer_than_three_models_are_refused() -> None:
    for roles in (
        {"labeller": "simulated/typical"},
        dict.fromkeys(("labeller", "labeller2", "labeller3"), "simulated/x"),
    ):
        with pytest.raises(InputError, match="three different ones"):
            norms_pipeline(NormsOptions(sources=("pack",), roles=roles))


def test_norms_that_a_public_benchmark_has_are_dropped(tmp_path: Path, rows: Path) -> None:
    (tmp_path / "public.csv").write_text("q\nGuests bring a small GIFT\n", encoding="utf-8")
    built = made(tmp_path / "out", NormsOptions(sources=(str(rows),), against=(tmp_path / "public.csv",)))
    assert built.funnel[1].dropped["in a public benchmark"] == 1


def test_bundles_are_of_one_pool_unlike_and_hold_a_strict_norm(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    kinds = ("aaaa", "jjjj", "qqqq", "zzzz")
    rows = [
        f"n{i},Japan,{''.join(rng.permutation(list(kinds[i % 4] * 3 + 'e' * int(rng.integers(1, 4)))))} w{i}.,A page,"
        f"etiquette,Homes,{'no' if i % 3 else 'sometimes'},It is not so.,"
        for i in range(24)
    ]
    made(
        tmp_path / "out",
        NormsOptions(sources=(str(table(tmp_path / "m.csv", *rows)),), embedder=Letters(), near=0.9999),
    )
    bundles = [json.loads(line) for line in (tmp_path / "out" / BUNDLES).read_text().splitlines()]
    norms = {norm.id: norm for norm in read_base(tmp_path / "out" / BASE).norms}
    assert bundles
    used = [name for bundle in bundles for name in bundle["norms"]]
    assert max(used.count(name) for name in used) <= 3
    for bundle in bundles:
        assert len({int(name[1:]) % 4 for name in bundle["norms"]}) == 3
        assert "no" in {norms[name].strictness for name in bundle["norms"]}
        assert bundle["silhouette"] > bundle["pool_silhouette"]


def test_a_build_that_goes_on_embeds_nothing_twice_and_gives_the_same(tmp_path: Path, rows: Path) -> None:
    asked: list[str] = []

    class Counting(Letters):
        def __call__(self, texts: object) -> list[list[float]]:
            assert isinstance(texts, list)
            asked.extend(texts)
            return super().__call__(texts)

    def base(embedder: Embedder, out: str) -> bytes:
        made(tmp_path / out, NormsOptions(sources=(str(rows),), embedder=embedder))
        return (tmp_path / out / DATASHEET).read_bytes()

    plain, first = base(Letters(), "plain"), base(KeptVectors(Counting(), tmp_path / "kept"), "kept")
    again = base(KeptVectors(Counting(), tmp_path / "kept"), "kept")
    assert plain == first == again
    assert asked
    assert len(asked) == len(set(asked))


def test_a_damaged_file_of_vectors_is_one_line(tmp_path: Path) -> None:
    (tmp_path / VECTORS).write_bytes(b"no database, and long enough to be taken for a file of one")
    with pytest.raises(StorageError, match="vectors cannot be kept"):
        KeptVectors(Letters(), tmp_path)(["a"])


def test_a_pool_that_is_too_small_says_so(tmp_path: Path, rows: Path) -> None:
    made(tmp_path / "out", NormsOptions(sources=(str(rows),), embedder=Letters()))
    pools = sheet(tmp_path / "out")["by_pool"]
    assert isinstance(pools, list)
    assert {pool["why"] for pool in pools} == {"pool too small"}


def test_a_base_with_other_norms_is_another_version(tmp_path: Path, rows: Path) -> None:
    made(tmp_path / "one", NormsOptions(sources=(str(rows),)))
    table(rows, "a,Japan,Shoes come off at the front door.,A page,etiquette,Homes,no,Shoes stay on.,.9")
    made(tmp_path / "two", NormsOptions(sources=(str(rows),)))
    one, two = (read_base(tmp_path / name / BASE).head.version for name in ("one", "two"))
    assert one != two


def test_a_real_model_finds_what_says_the_same_and_bundles_what_does_not(tmp_path: Path, small: Path) -> None:
    statements = (
        "Shoes are taken off at the door of a home.", "People take their shoes off at the door of a home.",
        "Shoes are left at the entrance of the house.", "Slippers are worn inside a home.",
        "A host pours tea for guests first.", "Tea is poured for the guests before the host.",
        "Guests praise the tea they are served.", "Colleagues bow when they meet a superior.",
        "A business card is given with both hands.", "Employees bow to the head of the company.",
    )  # fmt: skip
    rows = [f"n{n},Japan,{words},A page,etiquette,Visits,{'sometimes' if n % 2 else 'no'},,"
            for n, words in enumerate(statements)]  # fmt: skip
    public = tmp_path / "public.csv"
    public.write_text("words\nEmployees bow to the boss of the company.\n", encoding="utf-8")
    options = NormsOptions(sources=(str(table(tmp_path / "mine.csv", *rows)),), against=(public,), near=0.93,
                embedder=embedder_named(str(small), "--embed"))  # fmt: skip
    made(tmp_path / "out", options)
    lost = [json.loads(line) for line in (tmp_path / "out" / DROPPED).read_text().splitlines()]
    assert {each["unit"]: each["reason"] for each in lost} == {
        "n1": "near another norm", "n5": "near another norm", "n9": "in a public benchmark",
    }  # fmt: skip
    bundles = [set(json.loads(line)["norms"]) for line in (tmp_path / "out" / BUNDLES).read_text().splitlines()]
    assert bundles
    assert not any({"n0", "n2"} <= bundle for bundle in bundles)


def test_a_base_that_is_damaged_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"id": "a"}\n', encoding="utf-8")
    with pytest.raises(InputError, match="no norm base"):
        read_base(tmp_path / "x.jsonl")


def test_the_funnel_is_drawn_with_its_figures_in_words(tmp_path: Path, rows: Path) -> None:
    made(tmp_path / "out", NormsOptions(sources=(str(rows),), roles=ROLES))
    picture = (tmp_path / "out" / PICTURE).read_text()
    root = ET.fromstring(picture)
    told = " ".join(text for text in root.itertext())
    assert "norms (simulated)" in told
    assert "duplicates" in told
    assert "1 same words as another norm" in told
    assert "3 of 4" in told


def test_a_base_is_a_source_of_another_and_what_was_made_up_in_it_stays_named_so(tmp_path: Path) -> None:
    rows = table(tmp_path / "m.csv", "a,Japan,Bow when you meet somebody.,A page,greetings,Meeting,,,")
    made(tmp_path / "one", NormsOptions(sources=(str(rows),), roles=ROLES))
    (base,) = (read_base(tmp_path / "one"),)
    for source in (tmp_path / "one", tmp_path / "one" / BASE):
        found = gather([str(source)])
        assert found.norms == base.norms
        assert found.made_from == {f"norm base {base.head.version}": base.head.version}
        assert found.simulated
    made(tmp_path / "two", NormsOptions(sources=(str(tmp_path / "one"),)))
    again = read_base(tmp_path / "two")
    assert again.norms == base.norms
    assert again.head.simulated
    assert json.loads((tmp_path / "two" / DATASHEET).read_text())["simulated"]
