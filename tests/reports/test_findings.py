"""Findings in their order, and those that differ in their model alone as one sentence."""

from mores.reports.findings import in_order
from mores.tables.blocks import CellValue, Finding, Inline, Span
from mores.tables.formatting import text_of


def of_place(model: str, sure: str = "", *, found: bool = True, id_: str = "toy.adds") -> Finding:
    return Finding(words=("The place adds to ", Span(model, "model"), "."), sure=sure, id=id_, found=found)


def gives(model: str, *verb: Inline) -> Finding:
    return Finding(words=(Span(model, "model"), " ", *verb, " bad reasons."), id="toy.reasons")


def told(*findings: Finding) -> list[str]:
    return [f"{text_of(each.words)} {text_of(each.sure)}".strip() for each in in_order(findings)]


def test_findings_that_differ_in_their_model_alone_are_one_sentence() -> None:
    every = [of_place(model, "p = 0.01.") for model in ("a/x", "a/y", "a/z")]
    assert told(*every) == ["The place adds to a/x, a/y and a/z. p = 0.01."]


def test_how_sure_it_is_stays_with_its_models() -> None:
    every = (of_place("a/x", "By 2 points."), of_place("a/y", "By 3 points."), of_place("a/z", "By 2 points."))
    assert told(*every) == ["The place adds to a/x, a/y and a/z. a/x and a/z: By 2 points. a/y: By 3 points."]


def test_what_was_found_is_not_told_with_what_was_not_nor_with_other_numbers_or_ids() -> None:
    one = of_place("a/x")
    assert len(told(one, of_place("a/y", found=False))) == 2
    assert len(told(one, of_place("a/y", id_="toy.takes"))) == 2
    assert len(told(of_place("a/x", id_=""), of_place("a/y", id_=""))) == 2
    some = [Finding(words=(CellValue(n), " of ", Span(f"a/{n}", "model")), id="toy.n") for n in (1, 1, 2)]
    assert told(*some) == ["1 of a/1", "2 of a/2"]


def test_two_models_in_one_sentence_are_no_other_pair() -> None:
    pairs = [
        Finding(words=(Span(a, "model"), " is ahead of ", Span(b, "model")), id="toy.ahead") for a, b in ("xy", "yz")
    ]
    assert len(told(*pairs)) == 2


def test_a_model_that_is_the_subject_has_company_only_with_a_verb_in_the_plural() -> None:
    verb = Span("gives", several="give")
    assert told(gives("a/x", verb), gives("a/y", verb)) == ["a/x and a/y give bad reasons."]
    assert told(gives("a/x", "gives"), gives("a/y", "gives")) == ["a/x gives bad reasons.", "a/y gives bad reasons."]


def test_numbers_of_each_model_may_stand_beside_a_sentence_of_several() -> None:
    some = [
        Finding(
            words=(Span(f"a/{n}", "model"), ": ", Span(f"{n} of 9", several="some"), " labels."),
            sure=f"{n}.",
            id="toy.n",
        )
        for n in (1, 2)
    ]
    assert told(*some[:1]) == ["a/1: 1 of 9 labels. 1."]
    assert told(*some) == ["a/1 and a/2: some labels. a/1: 1. a/2: 2."]


def test_a_sentence_of_several_stands_where_the_first_of_them_stood() -> None:
    other = Finding(words="Something else.")
    assert told(of_place("a/x"), other, of_place("a/y")) == ["The place adds to a/x and a/y.", "Something else."]


def test_of_many_models_some_are_named_and_the_others_counted() -> None:
    alike = [of_place(f"a/{n}", "p = 0.01.") for n in range(12)]
    assert told(*alike) == ["The place adds to a/0, a/1, a/2 and 9 more. p = 0.01."]
    apart = [of_place(f"a/{n}", f"By {n} points.") for n in range(12)]
    (sentence,) = told(*apart)
    assert sentence.endswith("a/0: By 0 points. a/1: By 1 points. a/2: By 2 points. Of 9 more, its section says it.")
    assert told(*alike[:4]) == ["The place adds to a/0, a/1, a/2 and a/3. p = 0.01."]
