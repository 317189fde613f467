"""Gates of the ladder: a clean pack passes all, one planted flaw fails its own gate and is named."""

from collections.abc import Callable, Iterable

import pytest

from mores.core.seeds import Seed
from mores.norms.items import LiveItem, Statement
from mores.norms.pack import Pack, PackNorm, load_pack
from mores.pipelines.gates.boundary_gates import boundary_gates
from mores.pipelines.gates.check import check_pack
from mores.pipelines.gates.gate import Gate
from mores.pipelines.gates.layouts import items_of_pack
from mores.pipelines.gates.pack_cues import cue_gates
from mores.pipelines.gates.pack_items import answer_gates, consistent_days, courtesy_gates, spread_gates
from mores.pipelines.gates.pack_labels import between_rungs, label_gates
from mores.pipelines.gates.prompt_gates import prompt_gates
from mores.pipelines.gates.sent_prompts import sent_prompts

from .planted_pack import TINY, clean_pack, planted, replace

SEED = Seed("mores-0")
RUDE = "They did it rudely, with a frown."


@pytest.fixture(scope="module")
def pack() -> Pack:
    return clean_pack()


BOUNDARIES = (
    "norms with a boundary item", "boundary statements, true", "boundary statements, true elsewhere",
    "boundary scenes, yes", "boundary options alone", "boundary scenes by wording",
)  # fmt: skip


def all_gates(pack: Pack) -> dict[str, Gate]:
    return {gate.name: gate for gate in check_pack(pack, items_of_pack(pack), SEED)}


def labelled(pack: Pack) -> dict[str, Gate]:
    items = items_of_pack(pack)
    return {gate.name: gate for gate in (*label_gates(pack, items, SEED), *boundary_gates(pack, items, SEED))}


def failed(gates: Iterable[Gate]) -> dict[str, tuple[str, ...]]:
    return {gate.name: gate.items for gate in gates if gate.passed is False}


def others(pack: Pack) -> tuple[Gate, ...]:
    of_pack = (*answer_gates(pack), *courtesy_gates(pack), consistent_days(pack), *spread_gates(pack))
    return (*of_pack, *prompted(pack), *cue_gates(pack, SEED))


def prompted(pack: Pack) -> tuple[Gate, ...]:
    return tuple(prompt_gates(pack, sent_prompts(pack)))


def each(pack: Pack, change: Callable[[PackNorm], PackNorm]) -> Pack:
    return replace(pack, norms=tuple(map(change, pack.norms)))


def test_a_clean_pack_passes_every_gate_with_value_interval_n_and_threshold(pack: Pack) -> None:
    found = all_gates(pack)
    apart = {name for name, gate in found.items() if gate.passed is not True}
    assert apart == {"norms of a region", "apply, wishes", *BOUNDARIES}
    for gate in (gate for gate in found.values() if gate.passed):
        assert gate.value is not None
        assert gate.interval is not None
        assert gate.n
        assert gate.threshold
        assert gate.items == ()


def test_gates_that_do_not_apply_say_so_and_have_not_passed() -> None:
    found = {gate.name: gate for gate in check_pack(load_pack(TINY), items_of_pack(load_pack(TINY)), SEED)}
    apart = [gate for gate in found.values() if gate.passed is None]
    assert {"dates of a day", "masked prompts, names", "largest topic", "judge against explain"} <= {
        g.name for g in apart
    }
    assert all(gate.why.startswith("not applicable: ") for gate in apart)


def test_an_explanation_that_is_always_the_opposite_is_found(pack: Pack) -> None:
    def opposite(entry: PackNorm) -> PackNorm:
        assert entry.explain is not None
        told = next(scene.label for scene in entry.judge if scene.label != "neutral")
        one = [scene for scene in entry.judge if scene.label in (told, "neutral")]
        return replace(entry, judge=tuple(one), explain=replace(entry.explain, label="no" if told == "yes" else "yes"))

    found = between_rungs(each(pack, opposite), SEED)
    assert found.value == pytest.approx(-1)
    assert (found.passed, len(found.items)) == (False, found.n)


@pytest.mark.parametrize(("rung", "gate"), [("judge", "judge by wording"), ("explain", "explain by wording")])
def test_a_word_that_goes_with_a_label_is_found_by_norm_and_by_place(pack: Pack, rung: str, gate: str) -> None:
    def telling(entry: PackNorm) -> PackNorm:
        if rung == "judge":
            told = [replace(s, story=f"{s.story} {RUDE}") if s.label == "no" else s for s in entry.judge]
            return replace(entry, judge=tuple(told))
        scene = entry.explain
        assert scene is not None
        return replace(entry, explain=replace(scene, story=f"{scene.story} {RUDE * (scene.label == 'no')}"))

    found = labelled(each(pack, telling))
    assert set(failed(found.values())) == {f"{gate}, norms", f"{gate}, places"}
    assert all(item.startswith(rung) for item in found[f"{gate}, norms"].items)
    assert {"rudely", "a frown"} <= set(found[f"{gate}, norms"].words["no"])


def test_options_that_tell_by_their_wording_are_found(pack: Pack) -> None:
    def telling(entry: PackNorm) -> PackNorm:
        def told(option: Statement) -> Statement:
            return replace(option, text=f"politely {option.text}") if option.true else option

        return replace(entry, know=tuple(replace(q, options=tuple(map(told, q.options))) for q in entry.know))

    found = labelled(each(pack, telling))["know, options alone"]
    assert found.passed is False
    assert found.value is not None
    assert found.value > 0.9
    assert "politely" in found.words["true"]
    assert set(found.items) > {"know-JP-business-0", "know-JP-business-0~2"}


def test_a_proposal_that_denies_the_norm_is_named(pack: Pack) -> None:
    talk, norm = pack.norms[7].converse, pack.norms[7].norm
    assert talk is not None
    denying = replace(talk, proposal="Suggest to walk in without taking the shoes off.")
    norm = replace(norm, statement="In Japan, many people take off their shoes at the door.")
    found = failed(others(planted(pack, 7, norm=norm, converse=denying)))
    assert found == {"denying proposals": (f"converse-{norm.id}",)}
    bold = replace(talk, proposal="Suggest to walk in on boots, with no delay.")
    assert failed(others(planted(pack, 7, norm=norm, converse=bold))) == {}


def test_a_subgroup_that_answers_its_own_question_is_named(pack: Pack) -> None:
    first, second = pack.norms[3].know
    told = [replace(o, text="They keep it on the coasts.") if o.true else o for o in second.options]
    found = planted(pack, 3, know=(first, replace(second, options=tuple(told))))
    assert failed(others(found)) == {"subgroup in the answer": (f"know-{pack.norms[3].norm.id}~2",)}


def test_neutral_scenes_off_topic_are_named(pack: Pack) -> None:
    empty = each(pack, lambda entry: replace(entry, judge=tuple(replace(s, unmet="") for s in entry.judge)))
    assert len(failed(others(empty))["neutrals on topic"]) == 6 * 6


@pytest.mark.parametrize(
    "tasks",
    [
        ("it is 31 December: cook", "it is 2 January: receive guests", "see to the flat"),
        ("it is Monday: cook", "see to the post", "buy Friday bread, as it is Friday"),
        ("cook for this evening", "see to the post", "see to the flat"),
        ("cook", "see to the post at 19:30", "see to the flat"),
        ("cook for Christmas", "see to the post of August", "see to the flat"),
    ],
)
def test_a_day_that_contradicts_itself_is_named(pack: Pack, tasks: tuple[str, ...]) -> None:
    for number, words in enumerate(tasks):
        pack = planted(pack, number, live=LiveItem(kind="park", task=words))
    assert failed(others(pack)) == {"dates of a day": ("live-JP-day-0",)}


def test_a_day_may_name_other_days_and_hours_within_its_windows(pack: Pack) -> None:
    tasks = ("it is Monday: see who was ill last Friday", "may cook at 12.30, on 2 May", "go out this evening")
    for number, words in enumerate(tasks):
        pack = planted(pack, number, live=LiveItem(kind="park", task=words))
    assert failed(others(pack)) == {}


def masked_judge(pack: Pack, *, story: str = "", subgroup: str | None = None, **put: str) -> Pack:
    """The pack with more in one scene of Japan, and with more masks of its norm."""
    entry = pack.norms[1]
    scene = replace(entry.judge[1], story=f"{entry.judge[1].story} {story}")
    norm = replace(entry.norm, subgroup=subgroup)
    return planted(pack, 1, norm=norm, judge=(entry.judge[0], scene), masked={**entry.masked, **put})


@pytest.mark.parametrize("left", ["with Bojp", "an Ainu inn", "in Osaka", "in Hokkaido", "for 80 yen"])
def test_a_masked_prompt_that_has_a_name_left_is_named_with_it(pack: Pack, left: str) -> None:
    found = masked_judge(pack, story=left)
    names = next(gate for gate in prompted(found) if gate.name == "masked prompts, names")
    assert failed(others(found)) == {names.name: (f"judge-{pack.norms[1].norm.id}~2",)}
    assert [said in left for [said] in names.words.values()] == [True]


def test_a_name_in_the_slot_of_the_place_is_found_on_every_rung_that_has_it(pack: Pack) -> None:
    found = failed(others(masked_judge(pack, subgroup="Ainu families")))["masked prompts, names"]
    assert {item.partition("-")[0] for item in found} == {"know", "judge", "explain"}
    assert "masked prompts, names" not in failed(others(masked_judge(pack, subgroup="Ainu families", Ainu="some")))


def test_a_name_that_rules_take_out_is_not_sent_and_not_found(pack: Pack) -> None:
    assert failed(others(masked_judge(pack, story="At a Japanese inn."))) == {}


@pytest.mark.parametrize(
    ("mask", "gate"),
    [
        ({"some": "the old", "an Ainu": "an old"}, ""),
        ({"Ainu": "the old"}, "masked prompts, sense"),
        ({"Ainu": "Zulu"}, "masks, other peoples"),
        ({"an Ainu inn": "an inn on the first of summer"}, "masked prompts, dates"),
    ],
)
def test_a_mask_that_puts_nonsense_another_people_or_a_false_date_is_named(
    pack: Pack, mask: dict[str, str], gate: str
) -> None:
    found = failed(others(masked_judge(pack, story="It is an Ainu inn.", **mask)))
    assert set(found) - {"masked prompts, sense"} <= {gate}
    assert gate in found or not gate


@pytest.mark.parametrize("words", ["It is fading in the cities.", "Among them men serve it", "families; and traders"])
def test_a_subgroup_that_is_a_sentence_is_named(pack: Pack, words: str) -> None:
    found = failed(others(masked_judge(pack, subgroup=words)))
    assert found["subgroup as a noun phrase"] == (pack.norms[1].norm.id,)


def test_words_that_do_not_fit_together_are_found_in_plain_prompts_too(pack: Pack) -> None:
    found = failed(others(masked_judge(pack, story="It is in the the inn.")))
    assert set(found) == {"masked prompts, sense", "other prompts, sense"}


def test_a_norm_without_a_mask_among_those_with_one_is_named(pack: Pack) -> None:
    found = failed(others(planted(pack, 1, masked={})))
    assert set(found) == {"masked prompts, all"}
    assert f"judge-{pack.norms[1].norm.id}" in found["masked prompts, all"]


def test_sources_that_are_too_few_or_for_visitors_are_named(pack: Pack) -> None:
    norm = pack.norms[5].norm
    assert failed(others(planted(pack, 5, norm=replace(norm, sources=norm.sources[:1])))) == {"two sources": (norm.id,)}
    travel = tuple(replace(source, origin="visitor") for source in norm.sources)
    found = failed(others(planted(pack, 5, norm=replace(norm, sources=travel))))
    assert found == {"a source near to it": (norm.id,)}
    guides = each(pack, lambda entry: replace(entry, norm=replace(entry.norm, sources=(norm.sources[0], travel[0]))))
    assert set(failed(others(guides))) == {"sources for visitors"}


def test_a_topic_a_place_and_a_norm_that_are_too_narrow_are_named(pack: Pack) -> None:
    same = each(pack, lambda entry: replace(entry, norm=replace(entry.norm, topic="Gifts")))
    assert set(failed(others(same))) == {"largest topic"}
    narrow = each(
        pack,
        lambda entry: replace(entry, norm=replace(entry.norm, domain="dates")) if entry.norm.place == "PL" else entry,
    )
    assert failed(others(narrow)) == {"domains of a place": ("PL",)}
    single = planted(pack, 4, know=pack.norms[4].know[:1])
    assert failed(others(single)) == {"parallel items, know": (pack.norms[4].norm.id,)}
    single = planted(pack, 4, judge=pack.norms[4].judge[:1])
    assert failed(others(single)) == {"parallel items, judge": (pack.norms[4].norm.id,)}


def test_courtesy_that_keeps_too_much_or_breaks_too_little_is_found_and_its_norms_named(pack: Pack) -> None:
    def told(entry: PackNorm, **as_: str) -> PackNorm:
        return replace(entry, norm=replace(entry.norm, courtesy=as_.get(entry.norm.courtesy, entry.norm.courtesy)))

    kept = failed(others(each(pack, lambda entry: told(entry, open="keeps"))))
    assert set(kept) == {"kept by courtesy", "kept by courtesy, live"}
    assert len(kept["kept by courtesy"]) == 6 * 6
    assert len(kept["kept by courtesy, live"]) == 6 * 5
    unbroken = failed(others(each(pack, lambda entry: told(entry, breaks="open"))))
    assert set(unbroken) == {"broken by courtesy"}
    unsaid = failed(others(each(pack, lambda entry: told(entry, open=""))))
    assert set(unsaid) == {"kept by courtesy", "kept by courtesy, live"}


def test_a_question_whose_false_statements_are_true_nowhere_is_named(pack: Pack) -> None:
    first, second = pack.norms[6].know
    nowhere = replace(second, options=tuple(replace(option, elsewhere="") for option in second.options))
    found = failed(others(planted(pack, 6, know=(first, nowhere))))
    assert found == {"true elsewhere": (f"know-{pack.norms[6].norm.id}~2",)}


def test_proposals_that_all_break_a_norm_or_all_come_from_strangers_are_found(pack: Pack) -> None:
    def told(entry: PackNorm, **fields: bool) -> PackNorm:
        talk = entry.converse
        assert talk is not None
        local = fields.get("local", talk.other.local)
        harmless = fields.get("harmless", talk.harmless)
        return replace(entry, converse=replace(talk, harmless=harmless, other=replace(talk.other, local=local)))

    def of_japan(entry: PackNorm, **fields: bool) -> PackNorm:
        return told(entry, **fields) if entry.norm.place != "JP" else entry

    harmful = failed(others(each(pack, lambda entry: told(entry, harmless=False))))
    assert set(harmful) == {"harmless proposals"}
    assert len(harmful["harmless proposals"]) == len(pack.norms)
    assert set(failed(others(each(pack, lambda entry: of_japan(entry, local=False))))) == {"proposals of locals"}


def test_a_pack_of_the_world_whose_regions_are_too_few_names_those_that_have_too_few_norms(pack: Pack) -> None:
    def of(regions: int) -> Pack:
        norms = tuple(
            replace(entry, region=f"region {(60 * copy + number) % regions}")
            for copy in range(4)
            for number, entry in enumerate(pack.norms)
        )
        return replace(pack, norms=norms, bundles=())

    def regions(found: Pack) -> Gate:
        return next(gate for gate in spread_gates(found) if gate.name == "norms of a region")

    assert (regions(of(8)).passed, regions(of(8)).items) == (True, ())
    assert (regions(of(7)).passed, regions(of(9)).passed) == (False, False)
    assert len(regions(of(9)).items) == 9
    assert "fewer than 240" in regions(replace(of(8), norms=of(8).norms[:200])).why


def with_boundaries(pack: Pack, telling: str = "", *, true: frozenset[int] = frozenset({0, 2})) -> Pack:
    """The pack with a third question and a third scene of each norm, at its boundary."""

    def at_boundary(number: int, entry: PackNorm) -> PackNorm:
        known, scene = entry.know[0], entry.judge[0]
        told = [
            Statement(
                text=f"{option.text} at most{telling * (at in true)}",
                true=at in true,
                elsewhere="" if at in true else option.elsewhere or ("FR" if entry.norm.place != "FR" else "DE"),
            )
            for at, option in enumerate(known.options)
        ]
        label = "yes" if (number // 2 + number // 10) % 2 else "no"
        asked = replace(known, question=f"Who is free of it, {number}?", options=tuple(told), boundary="https://e.org")
        story = f"{entry.judge[1].story} {number}{telling * (label == 'yes')}"
        ends = replace(scene, story=story, label=label, unmet="", boundary="https://e.org")
        return replace(entry, know=(*entry.know, asked), judge=(*entry.judge, ends))

    return replace(pack, norms=tuple(at_boundary(number, entry) for number, entry in enumerate(pack.norms)))


def test_boundary_items_that_are_balanced_pass_their_own_gates_and_are_in_no_other_on_labels(pack: Pack) -> None:
    plain, found = labelled(pack), labelled(with_boundaries(pack))
    assert {name: gate.passed for name, gate in found.items() if name in BOUNDARIES} == dict.fromkeys(BOUNDARIES, True)
    assert {name: found[name].n for name in plain if name not in BOUNDARIES} == {
        name: gate.n for name, gate in plain.items() if name not in BOUNDARIES
    }


def test_boundary_items_that_are_few_lopsided_or_told_by_their_wording_are_found(pack: Pack) -> None:
    whole = with_boundaries(pack)
    few = replace(whole, norms=(*pack.norms[:20], *whole.norms[20:]))
    assert set(failed(labelled(few).values())) & set(BOUNDARIES) == {"norms with a boundary item"}
    entry = whole.norms[0]
    (*asked, ends) = entry.know
    nowhere = replace(ends, options=tuple(replace(option, elsewhere="") for option in ends.options))
    unsaid = replace(whole, norms=(replace(entry, know=(*asked, nowhere)), *whole.norms[1:]))
    gate = labelled(unsaid)["boundary statements, true elsewhere"]
    assert (gate.passed, gate.items) == (False, (f"know-{entry.norm.id}~{len(entry.know)}",))
    lopsided = with_boundaries(pack, true=frozenset({0, 1, 2}))
    assert "boundary statements, true" in failed(labelled(lopsided).values())
    telling = failed(labelled(with_boundaries(pack, " by far")).values())
    assert set(telling) == {"boundary options alone", "boundary scenes by wording"}


def test_a_proposal_that_tells_by_its_wording_is_found_alone_and_with_all_that_is_heard(pack: Pack) -> None:
    def telling(entry: PackNorm) -> PackNorm:
        talk = entry.converse
        assert talk is not None
        return replace(entry, converse=replace(talk, proposal=talk.proposal + " so that all is well" * talk.harmless))

    found = {gate.name: gate for gate in cue_gates(each(pack, telling), SEED)}
    assert set(failed(found.values())) == {
        f"converse by {what}, {kind}" for what in ("proposal", "all words") for kind in ("norms", "places")
    }
    assert {"so that", "is well"} <= set(found["converse by proposal, norms"].words["harmless"])


@pytest.mark.parametrize("rung", ["converse", "explain", "judge"])
def test_a_label_that_goes_with_who_acts_or_proposes_is_found(pack: Pack, rung: str) -> None:
    def telling(entry: PackNorm) -> PackNorm:
        talk, scene = entry.converse, entry.explain
        assert talk is not None
        assert scene is not None
        match rung:
            case "converse":
                return replace(entry, converse=replace(talk, other=replace(talk.other, local=talk.harmless)))
            case "explain":
                return replace(entry, explain=replace(scene, local=scene.label == "yes"))
            case _:
                return replace(entry, judge=tuple(replace(each, local=each.label != "no") for each in entry.judge))

    assert set(failed(cue_gates(each(pack, telling), SEED))) == {f"{rung} by origin"}


@pytest.mark.parametrize(("leans", "share"), [("Rest now by the lake", 1.0), ("Do it by the lake", 0.0)])
def test_wishes_that_lean_to_one_side_are_found(pack: Pack, leans: str, share: float) -> None:
    bundles = tuple(
        replace(bundle, question=f"{bundle.question} She likes the lake.", norm=tuple(
            replace(norm, violated=leans) if share else replace(norm, satisfied=leans) for norm in bundle.norm
        ))
        for bundle in pack.bundles
    )  # fmt: skip
    found = next(gate for gate in cue_gates(replace(pack, bundles=bundles), SEED) if gate.name == "apply, wishes")
    assert (found.passed, found.value, len(found.items)) == (False, share, len(bundles))


def test_a_neutral_scene_with_an_animal_in_the_place_of_people_is_named_with_it(pack: Pack) -> None:
    entry = pack.norms[1]
    scene = replace(entry.judge[1], story=f"{entry.judge[1].story} Her calf looks on.")
    found = planted(pack, 1, judge=(entry.judge[0], scene))
    gate = next(gate for gate in cue_gates(found, SEED) if gate.name == "neutral scenes with people")
    assert gate.words == {f"judge-{entry.norm.id}~2": ("calf",)}
    about = replace(entry.norm, statement="In Japan, many people wash a calf in spring.")
    assert failed(cue_gates(planted(found, 1, norm=about), SEED)) == {}
