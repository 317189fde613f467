"""A norm base says whose norms may come up where, and its file can be read, corrected and trusted."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.errors import InputError, UnknownName
from mores.norms.norm_base import KINDS, BaseHeader, Fit, LocationKind, NormBase, TownNorm, base_lines, read_base

HEADER = BaseHeader(made_from="a list of our own", made_by="people")


def norm(name: str, place: str, *fits: tuple[LocationKind, float]) -> TownNorm:
    return TownNorm(
        id=name,
        place=place,
        statement=f"Many people say {name} is done.",
        source="asked there",
        fits=tuple(Fit(kind=kind, confidence=confidence, reason="it says so") for kind, confidence in fits),
    )


def base(*norms: TownNorm, with_country: tuple[str, ...] = ()) -> NormBase:
    header = BaseHeader(made_from="a list of our own", made_by="people", with_country=with_country)
    return NormBase(header, norms)


def ids(found: tuple[TownNorm, ...]) -> list[str]:
    return [each.id for each in found]


def written(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


HEAD = {"base": "mores town norms 1", "made_from": "us", "made_by": "people"}
ROW = {"id": "a", "place": "IT", "statement": "Many people wait to be seated.", "source": "asked there"}
FIT = {"kind": "restaurant", "confidence": 0.9, "reason": "it says seated"}


def test_norms_are_found_by_who_somebody_is_and_where_they_are() -> None:
    town = base(
        norm("b", "IT", ("gym", 0.5)), norm("a", "IT", ("gym", 0.9), ("mall", 0.4)), norm("c", "DE", ("gym", 1))
    )
    assert ids(town.at("IT", "gym")) == ["a", "b"]
    assert ids(town.at("IT", "mall")) == ["a"]
    assert town.at("IT", "park") == town.at("GR", "gym") == ()


def test_only_norms_sure_enough_of_that_location_are_given_where_that_is_asked() -> None:
    town = base(norm("a", "IT", ("gym", 0.9), ("mall", 0.4)), norm("b", "IT", ("mall", 0.5)))
    assert ids(town.at("IT", "mall", least=0.5)) == ["b"]


def test_people_of_a_part_have_the_norms_of_the_part_alone() -> None:
    town = base(norm("uk", "GB", ("gym", 1)), norm("scots", "GB-SCT", ("mall", 1)))
    assert town.places_of("GB-SCT") == ("GB-SCT",)
    assert town.at("GB-SCT", "gym") == ()


def test_people_of_a_part_of_which_nothing_is_told_have_their_countrys_norms() -> None:
    town = base(norm("uk", "GB", ("gym", 1)), norm("scots", "GB-SCT", ("mall", 1)))
    assert town.places_of("GB-NIR") == ("GB",)
    assert ids(town.at("GB-NIR", "gym")) == ["uk"]


def test_a_part_of_which_nothing_fits_anywhere_counts_as_one_of_which_nothing_is_told() -> None:
    assert base(norm("uk", "GB", ("gym", 1)), norm("welsh", "GB-WLS")).places_of("GB-WLS") == ("GB",)


def test_people_of_a_part_have_their_countrys_norms_too_where_the_base_says_so() -> None:
    town = base(norm("uk", "GB", ("gym", 1)), norm("english", "GB-ENG", ("gym", 1)), with_country=("GB-ENG",))
    assert town.places_of("GB-ENG") == ("GB-ENG", "GB")
    assert ids(town.at("GB-ENG", "gym")) == ["english", "uk"]


def test_people_of_a_country_never_have_the_norms_of_its_parts() -> None:
    assert base(norm("english", "GB-ENG", ("gym", 1)), with_country=("GB-ENG",)).places_of("GB") == ()


def test_a_nationality_that_is_no_place_is_refused_by_its_name() -> None:
    with pytest.raises(UnknownName, match="'XX'"):
        base(norm("a", "IT", ("gym", 1))).at("XX", "gym")


def test_a_country_cannot_take_its_own_norms_twice() -> None:
    with pytest.raises(InputError, match="with_country names GB; expected ids of parts"):
        base(norm("a", "GB", ("gym", 1)), with_country=("GB",))


def test_two_norms_of_one_id_are_refused() -> None:
    with pytest.raises(InputError, match="two norms are called 'a'"):
        base(norm("a", "IT"), norm("a", "DE"))


def test_the_fingerprint_knows_every_word_but_not_the_order() -> None:
    one, other = norm("a", "IT", ("gym", 1)), norm("b", "IT", ("gym", 1))
    assert base(one, other).fingerprint == base(other, one).fingerprint
    assert base(one, other).fingerprint != base(one, norm("b", "IT", ("gym", 0.9))).fingerprint


kinds = st.lists(st.sampled_from(KINDS), unique=True).map(lambda found: sorted(found, key=KINDS.index))
confidences = st.floats(min_value=0, max_value=1, exclude_min=True)


one_line = st.text(min_size=1).filter(lambda text: bool(text.strip()) and text.splitlines() == [text])


@st.composite
def bases(draw: st.DrawFn) -> NormBase:
    names = draw(st.lists(one_line, unique=True, min_size=1, max_size=5))
    return base(
        *(
            norm(
                name,
                draw(st.sampled_from(["IT", "GB", "GB-SCT"])),
                *((kind, draw(confidences)) for kind in draw(kinds)),
            )
            for name in names
        ),
        with_country=draw(st.sampled_from([(), ("GB-ENG",)])),
    )


@given(town=bases())
def test_a_base_is_read_back_as_it_was_written(town: NormBase, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("base") / "town.jsonl"
    path.write_bytes(base_lines(town))
    again = read_base(path)
    assert again == town
    assert again.fingerprint == town.fingerprint


@given(town=bases(), least=confidences)
def test_asking_for_more_confidence_never_gives_more_norms(town: NormBase, least: float) -> None:
    for kind in KINDS:
        assert set(ids(town.at("GB", kind, least=least))) <= set(ids(town.at("GB", kind)))


def test_a_place_may_be_written_by_its_name_and_fits_in_any_order(tmp_path: Path) -> None:
    fits = [FIT, {"kind": "school", "confidence": 0.4, "reason": "by hand"}]
    (read,) = read_base(written(tmp_path / "a.jsonl", HEAD, {**ROW, "place": "italy", "fits": fits})).norms
    assert (read.place, read.kinds) == ("IT", ("school", "restaurant"))
    assert (read.confidence("restaurant"), read.confidence("gym")) == (0.9, 0.0)


def test_a_header_may_be_lent_to_a_file_without_one(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", ROW)
    assert read_base(path, HEADER).norms[0].statement == "Many people wait to be seated."
    with pytest.raises(InputError, match=r"a\.jsonl:1: not a norm base"):
        read_base(path)


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({**ROW, "fits": [{**FIT, "kind": "resturant"}]}, r"a.jsonl:2: fits.0.kind: .* got 'resturant'"),
        ({**ROW, "fits": [{**FIT, "confidence": 0}]}, "a.jsonl:2: the confidence of restaurant is 0"),
        ({**ROW, "fits": [{**FIT, "confidence": 1.5}]}, "expected above 0, at most 1"),
        ({**ROW, "fits": [FIT, FIT]}, "expected each kind of location once"),
        ({**ROW, "place": "Itly"}, "a.jsonl:2: No place is called 'Itly'. Did you mean 'Italy'"),
        ({**ROW, "statment": "x"}, r"a.jsonl:2: unknown field \['statment'\]"),
        ({**ROW, "statement": " "}, "a.jsonl:2: statement is empty"),
        ({**ROW, "statement": "One.\nb: Two."}, "a.jsonl:2: statement has several lines"),
        ({"id": "a"}, "a.jsonl:2: place: Field required"),
        ("words", "a.jsonl:2: expected an object with a norm's fields"),
    ],
)
def test_a_line_that_cannot_be_used_is_refused_with_its_number(row: object, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=complaint):
        read_base(written(tmp_path / "a.jsonl", HEAD, row))


def test_an_id_that_comes_again_is_refused_where_it_does(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.jsonl:3: the id 'a' is used above"):
        read_base(written(tmp_path / "a.jsonl", HEAD, ROW, ROW))


@pytest.mark.parametrize(
    ("head", "complaint"),
    [
        ({**HEAD, "base": "mores town norms 9"}, "a.jsonl:1: base: "),
        ({**HEAD, "with_country": ["IT"]}, "a.jsonl:1: with_country names IT"),
        ({**HEAD, "with_country": ["England"]}, "a.jsonl:1: with_country names England; expected ids"),
    ],
)
def test_a_header_that_cannot_be_used_is_refused(head: object, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=complaint):
        read_base(written(tmp_path / "a.jsonl", head, ROW))


def test_a_file_without_norms_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.jsonl: no norms"):
        read_base(written(tmp_path / "a.jsonl", HEAD))
