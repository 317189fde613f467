"""The bundled pack keeps what it promises; a failure names the norms to mend."""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import get_args

import pytest
from scipy.stats import chisquare, fisher_exact

from mores.core.norm import Domain
from mores.norms.groupings import group_of
from mores.norms.pack import Label, Pack, PackNorm, load_pack
from mores.norms.places import find, named, place, spelling

LEVEL = 0.01
"""Of the tests for leaks: a pack without any fails one of them once in a hundred times, and stays as it is then."""


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack()


def wrong(norms: Iterable[PackNorm]) -> list[str]:
    return [norm.norm.id for norm in norms]


def words(text: str) -> int:
    return len(text.split())


def names_place(text: str, place_id: str) -> bool:
    """True where a run of one to three words of the text is a name of the place, or of its people."""
    plain = spelling(text).split()
    runs = (" ".join(plain[i : i + n]) for n in (1, 2, 3) for i in range(len(plain)))
    return any(named(run) == place_id for run in runs)


def test_it_is_wide_enough_for_a_ladder(pack: Pack) -> None:
    places = {norm.norm.place for norm in pack.norms}
    assert len(pack.norms) >= 60
    assert len(places) >= 12
    assert len({group_of(name, "continent") for name in places}) == 6
    assert {norm.norm.domain for norm in pack.norms} == set(get_args(Domain))


def test_every_place_has_enough_norms_for_an_interval(pack: Pack) -> None:
    counts = Counter(norm.norm.place for norm in pack.norms)
    assert {name: count for name, count in counts.items() if count < 8} == {}


def test_each_id_says_place_and_domain(pack: Pack) -> None:
    ids = [norm.norm.id for norm in pack.norms]
    assert len(set(ids)) == len(ids)
    form = "{0.place}-{0.domain}-[a-z0-9]+(-[a-z0-9]+)*"
    assert wrong(n for n in pack.norms if not re.fullmatch(form.format(n.norm), n.norm.id)) == []


def test_each_question_has_four_statements_one_to_three_of_them_true(pack: Pack) -> None:
    assert wrong(n for n in pack.norms if len(n.know.options) != 4) == []
    assert wrong(n for n in pack.norms if not 1 <= sum(o.true for o in n.know.options) <= 3) == []
    assert wrong(n for n in pack.norms if len({spelling(o.text) for o in n.know.options}) != 4) == []


def test_every_label_is_there_and_none_is_most_of_them(pack: Pack) -> None:
    counts = Counter(norm.judge.label for norm in pack.norms)
    assert set(counts) == set(get_args(Label))
    assert max(counts.values()) <= 0.55 * len(pack.norms)
    assert min(counts.values()) >= 0.12 * len(pack.norms)


def test_each_source_can_be_opened_and_is_dated(pack: Pack) -> None:
    def complete(norm: PackNorm) -> bool:
        source = norm.norm.source
        date.fromisoformat(source.looked_up)
        return bool(re.fullmatch(r"https?://[^\s/]+\.[^\s/]+(/\S*)?", source.url) and source.title and source.found)

    assert wrong(n for n in pack.norms if not complete(n)) == []


def test_at_most_a_tenth_of_the_norms_is_unverified(pack: Pack) -> None:
    unverified = wrong(n for n in pack.norms if not n.norm.source.verified)
    assert len(unverified) <= 0.1 * len(pack.norms), unverified


@pytest.mark.parametrize("kind", ["statement", "negation", "question", "story"])
def test_no_text_stands_twice(pack: Pack, kind: str) -> None:
    texts = {
        "statement": [n.norm.statement for n in pack.norms],
        "negation": [n.norm.negation for n in pack.norms],
        "question": [n.know.question for n in pack.norms],
        "story": [n.judge.story for n in pack.norms],
    }[kind]
    assert [text for text, count in Counter(map(spelling, texts)).items() if count > 1] == []


def test_statement_negation_and_question_name_their_place(pack: Pack) -> None:
    for text in ("statement", "negation"):
        assert wrong(n for n in pack.norms if not names_place(getattr(n.norm, text), n.norm.place)) == [], text
    assert wrong(n for n in pack.norms if not names_place(n.know.question, n.norm.place)) == []


def test_a_negation_is_more_than_the_statement_with_a_not(pack: Pack) -> None:
    def differs(norm: PackNorm) -> bool:
        one, other = (set(spelling(text).split()) for text in (norm.norm.statement, norm.norm.negation))
        return len(one ^ other) > 4

    assert wrong(n for n in pack.norms if not differs(n)) == []


def test_lengths_are_those_of_sentences_that_people_read(pack: Pack) -> None:
    assert wrong(n for n in pack.norms if not 12 <= words(n.norm.statement) <= 40) == []
    assert wrong(n for n in pack.norms if not 8 <= words(n.norm.negation) <= 45) == []
    assert wrong(n for n in pack.norms if not 6 <= words(n.know.question) <= 40) == []
    assert wrong(n for n in pack.norms if not all(1 <= words(o.text) <= 30 for o in n.know.options)) == []
    assert wrong(n for n in pack.norms if not 20 <= words(n.judge.story) <= 110) == []
    assert wrong(n for n in pack.norms if not 5 <= words(n.judge.why) <= 50) == []


def test_questions_end_in_a_question_mark_and_ask_about_somebody_of_the_story(pack: Pack) -> None:
    assert wrong(n for n in pack.norms if not (n.know.question.endswith("?") and n.judge.question.endswith("?"))) == []

    def met(norm: PackNorm) -> bool:
        bare = (re.sub("['’]s?$", "", word) for word in re.findall(r"[^\W\d_][\w'’-]+", norm.judge.question))
        names = {name for name in bare if name[0].isupper()}
        return any(re.search(rf"\b{re.escape(name)}\b", norm.judge.story) for name in names)

    assert wrong(n for n in pack.norms if not met(n)) == []


def test_a_story_does_not_pronounce_on_its_act(pack: Pack) -> None:
    verdict = re.compile(
        r"\b(acceptable|unacceptable|rude|impolite|polite|appropriate|inappropriate|customs?|customary)\b",
        re.IGNORECASE,
    )
    assert wrong(n for n in pack.norms if verdict.search(n.judge.story)) == []


def test_the_true_statement_is_not_found_by_its_length(pack: Pack) -> None:
    single = [n for n in pack.norms if sum(o.true for o in n.know.options) == 1]
    longest = [n for n in single if max(n.know.options, key=lambda o: len(o.text)).true]
    assert len(longest) <= 0.45 * len(single), wrong(longest)


def test_the_true_statement_is_not_found_by_its_place(pack: Pack) -> None:
    counts = [sum(n.know.options[spot].true for n in pack.norms) for spot in range(4)]
    assert chisquare(counts).pvalue > LEVEL, counts


@pytest.mark.parametrize(
    "mark",
    [
        r"(?i)\b(always|never|all|every|everyone|nobody|only|must)\b",
        r"\b([Oo]ften|[Uu]sually|[Ss]ometimes|[Mm]any|[Mm]ost|may|[Ss]ome|[Tt]end|[Cc]ommonly)\b",  # not the month
    ],
    ids=["sweeping words", "hedges"],
)
def test_the_true_statement_is_not_found_by_its_tone(pack: Pack, mark: str) -> None:
    options = [option for norm in pack.norms for option in norm.know.options]
    table = [[0, 0], [0, 0]]
    for option in options:
        table[bool(re.search(mark, option.text))][option.true] += 1
    assert fisher_exact(table).pvalue > LEVEL, table


def test_each_place_has_three_norms_in_each_of_its_domains(pack: Pack) -> None:
    for name in {norm.norm.place for norm in pack.norms}:
        domains = Counter(n.norm.domain for n in pack.norms if n.norm.place == name)
        assert set(domains.values()) == {3}, name


def test_places_are_countries_that_are_known(pack: Pack) -> None:
    for norm in pack.norms:
        assert place(norm.norm.place) == find(norm.norm.place)


def test_nothing_is_left_blank_or_with_stray_spaces(pack: Pack) -> None:
    def texts(norm: PackNorm) -> list[str]:
        n, s = norm.norm, norm.norm.source
        rungs = [norm.know.question, norm.judge.story, norm.judge.question, norm.judge.why]
        return [n.topic, n.statement, n.negation, s.title, s.found, *rungs, *(o.text for o in norm.know.options)]

    assert wrong(n for n in pack.norms if any(not t or t != t.strip() or "  " in t for t in texts(n))) == []
