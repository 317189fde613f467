"""Places taken out of words by rules: what stands for them, and what is refused because grammar would not hold."""

import pytest

from mores.norms.places import places
from mores.norms.remove_place import ControlExclusion, PlaceRemoval, hidden, named_in

NO_RULE = ControlExclusion("have words about their place that no rule can replace")
STILL = ControlExclusion("still name the place once masked")


@pytest.mark.parametrize(
    ("place", "text", "left"),
    [
        ("JP", "In Japan, what do Japanese people do?", "In the country, what do local people do?"),
        ("JP", "Japan's hills. Japan is an island.", "The country's hills. The country is an island."),
        ("NL", "In the Netherlands, the Dutch often cycle.", "In the country, the local people often cycle."),
        ("IN", "An Indian friend eats an Indian sweet.", "A local friend eats a local sweet."),
        ("KR", "In South Korean culture, Koreans bow.", "In local culture, local people bow."),
        ("ID", "In Indonesian culture", "In local culture"),
        ("JP", "They speak Japanese at home.", "They speak the local language at home."),
        ("PL", "A Pole met two Poles.", "A local person met two local people."),
        ("FR", "at a café in Lyon.", "at a café in the town."),
        ("NG", "in Igbo culture", "in local culture"),
        ("ZA", "In Venda culture", "In local culture"),
        ("US", "for a class in U.S. Can you?", "for a class in the country. Can you?"),
        ("US", "US schools in the U.S.", "Local schools in the country"),
        ("TH", "a Thai-inspired bowl", "a local-inspired bowl"),
        ("VN", "How do Vietnam people eat?", "How do local people eat?"),
        ("TR", "a turkey, polished", "a turkey, polished"),
        ("CI", "In Côte d’Ivoire, people greet.", "In the country, people greet."),
    ],
)
def test_names_peoples_languages_and_towns_have_something_that_stands_for_them(
    place: str, text: str, left: str
) -> None:
    assert hidden(text, place) == left


@pytest.mark.parametrize(
    ("place", "text", "why"),
    [
        ("EG", "What might a Cairo family eat?", NO_RULE),
        ("TW", "Why do the young not know how to sing Taiwanese?", NO_RULE),
        ("US", "In African-American culture, who leads?", STILL),
        ("CI", "An Ivorian breakfast", STILL),
        ("GB", "In great britain and NORTHERN IRELAND", STILL),
    ],
)
def test_what_no_rule_can_hide_is_refused_with_the_reason(place: str, text: str, why: ControlExclusion) -> None:
    assert hidden(text, place) == why


def test_a_place_of_two_has_a_name_of_its_own() -> None:
    said = PlaceRemoval(country="Country A", local="Country A", person="person of Country A")
    assert hidden("a Pole from Poland with Polish food", "PL", said) == (
        "a person of Country A from Country A with Country A food"
    )


def test_every_place_can_be_hidden_by_its_own_name() -> None:
    left = {each.id: hidden(f"People in {each.name} greet.", each.id) for each in places()}
    kept = {name for name, text in left.items() if text != "People in the country greet."}
    assert not {name for name in kept if not isinstance(left[name], ControlExclusion)}
    assert len(kept) <= 12, kept
    assert all(isinstance(left[name], ControlExclusion) or named_in(str(left[name]), name) is None for name in left)
