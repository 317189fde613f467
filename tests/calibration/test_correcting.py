"""Judges' means corrected with people's labels: what was planted is found, and what cannot be carried is refused."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from mores.calibration import corrections_analysis as words
from mores.calibration.corrections import PPI, ROGAN, CorrectedMean, CorrectionOptions, TaskCorrected
from mores.calibration.corrections_analysis import analyse, place_blocks, tables_of
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.tables import as_data
from mores.tables.blocks import Paragraph
from tests.calibration.made_votes import MODEL, Play, corrections, drawn, judged_run, labels_file
from tests.stats.drawing import draws, luck

SHARE, RIGHT = 0.8, (0.85, 0.8)
"""What people say yes to, and how often the judge finds their yes and their no."""


def planted(rng: np.random.Generator, n: int, share: float = SHARE) -> tuple[list[str], list[str]]:
    """True words, and those of a judge with planted errors."""
    truth = rng.random(n) < share
    hit = rng.random(n) < np.where(truth, *RIGHT)
    return ["yes" if t else "no" for t in truth], ["yes" if t == h else "no" for t, h in zip(truth, hit, strict=True)]


def within(figure: Estimate | None, truth: float) -> bool:
    assert figure is not None
    assert figure.low is not None, figure.missing
    assert figure.high is not None
    return figure.low <= truth <= figure.high


def why(found: CorrectedMean, way: str) -> str:
    """Why a method has no value, in words."""
    return words.describe_correction_caution(found.refused[way])


def told(task: TaskCorrected) -> str:
    """What is warned and remarked of."""
    return "\n".join(map(words.describe_correction_caution, (*task.warnings, *task.remarks)))


def other(word: str) -> str:
    return "no" if word == "yes" else "yes"


def whole(folder: Path, said: Sequence[str | None], labels: Sequence[str | None], **more: Any) -> CorrectedMean:
    """The first target of a run of such verdicts, of which the first have labels of one person."""
    plays = [Play(item=f"i{n}", said=word) for n, word in enumerate(said)]
    run = judged_run(folder / "run", plays, **more)
    rows = [(f"i{n}", "ann", label) for n, label in enumerate(labels) if label is not None]
    return corrections([run], labels_file(folder / "labels.csv", rows)).tasks[0].whole[0]


@draws(40, 200)
@pytest.mark.parametrize(("accuracy", "people"), [(1.0, 1), (0.85, 3)])
def test_what_was_planted_is_covered_as_promised_and_the_judges_mean_misses_it(
    tmp_path: Path, accuracy: float, people: int, draws: int
) -> None:
    """Fallible people are no truth: what is estimated is the mean of their majority's words."""
    rng = np.random.default_rng(5)
    held = dict.fromkeys(("PPI++", "Rogan–Gladen", "people alone", "judge, uncorrected"), 0)
    majority = accuracy if people == 1 else accuracy**3 + 3 * accuracy**2 * (1 - accuracy)
    truth = SHARE * majority + (1 - SHARE) * (1 - majority)
    for number in range(draws):
        true, said = planted(rng, 400)
        plays = [Play(item=f"i{n}", said=word) for n, word in enumerate(said)]
        run = judged_run(tmp_path / f"run-{number}", plays)
        rows = [
            (f"i{n}", f"person-{who}", true[n] if rng.random() < accuracy else other(true[n]))
            for n in range(130)
            for who in range(people)
        ]
        found = corrections([run], labels_file(tmp_path / f"{number}.csv", rows)).tasks[0].whole[0]
        for name, figure in found.ways:
            held[name] += within(figure, truth)
    for name in ("PPI++", "Rogan–Gladen", "people alone"):
        assert held[name] / draws >= 0.95 - luck(0.95, draws), (name, held)
    assert held["judge, uncorrected"] / draws < 0.6


def test_points_are_corrected_by_what_people_give_on_average(tmp_path: Path) -> None:
    """The judge is .2 too kind to all; people's points then lie .2 below its own."""
    plays = [Play(item=f"i{n}", said=0.4 + 0.005 * n) for n in range(100)]
    run = judged_run(tmp_path / "run", plays, options=())
    rows = [(f"i{n}", "ann", round(0.2 + 0.005 * n + 0.01 * (n % 2), 3)) for n in range(0, 100, 3)]
    found = corrections([run], labels_file(tmp_path / "labels.csv", rows)).tasks[0].whole[0]
    assert found.judge.value == pytest.approx(0.6475)
    assert found.powered is not None
    assert found.powered.value == pytest.approx(0.4525, abs=0.01)
    assert within(found.powered, 0.4525)
    assert found.rogan is None
    assert found.difference.difference == pytest.approx(-0.195, abs=0.002)
    assert found.significant


def test_it_is_said_which_figure_of_the_card_a_mean_is(tmp_path: Path) -> None:
    true, said = planted(np.random.default_rng(1), 60)
    found = whole(tmp_path, said, true[:40])
    assert found.figure is not None
    assert words.describe_figure(found) == "the headline of the card: polite"
    assert found.judge == found.figure.estimate


def test_a_mean_that_is_no_figure_of_the_card_says_so(tmp_path: Path) -> None:
    true, said = planted(np.random.default_rng(1), 60)
    found = whole(tmp_path, said, true[:40], figure=0.123)
    assert words.describe_figure(found) == "no figure of the card is this mean"


def test_answers_that_left_nothing_to_judge_stay_in_the_figure_as_they_are(tmp_path: Path) -> None:
    """30 of 90 refused: they count 0, and a correction by people moves only the other two thirds."""
    true, said = planted(np.random.default_rng(2), 60)
    plays = [Play(item=f"i{n}", said=word) for n, word in enumerate([*said, *["settled"] * 30])]
    run = judged_run(tmp_path / "run", plays)
    labels = labels_file(tmp_path / "labels.csv", [(f"i{n}", "ann", word) for n, word in enumerate(true[:50])])
    task = corrections([run], labels).tasks[0]
    found = task.whole[0]
    assert task.nothing_to_judge == 30
    assert found.judge.value == pytest.approx(said.count("yes") / 90)
    assert found.people.value == pytest.approx(2 / 3 * true[:50].count("yes") / 50)


def test_each_of_several_words_is_held_against_the_rest_and_a_scale_has_its_mean(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    true = [str(step) for step in rng.integers(0, 4, 200)]
    said = [word if rng.random() < 0.8 else str(rng.integers(0, 4)) for word in true]
    scale = ("0", "1", "2", "3")
    plays = [Play(item=f"i{n}", said=word) for n, word in enumerate(said)]
    run = judged_run(tmp_path / "run", plays, options=scale, worth={word: float(word) for word in scale})
    rows = [(f"i{n}", "ann", word) for n, word in enumerate(true[:120])]
    task = corrections([run], labels_file(tmp_path / "labels.csv", rows)).tasks[0]
    assert [each.target.name for each in task.whole] == ["mean", *scale]
    mean, *classes = task.whole
    assert mean.figure is not None
    assert within(mean.powered, 1.5)
    assert mean.rogan is None
    assert all(each.rogan is not None for each in classes)
    assert sum(each.judge.value or 0 for each in classes) == pytest.approx(1)
    assert sum(each.powered.value or 0 for each in classes if each.powered) == pytest.approx(1, abs=0.02)


def test_probabilities_of_words_are_what_is_corrected_where_a_judge_weighed_them(tmp_path: Path) -> None:
    """The figure is the mean probability; people's words are 0 and 1."""
    run = judged_run(tmp_path / "run", [Play(item=f"i{n}", said="yes") for n in range(60)], figure=0.7)
    path = run / "cell-0" / "votes.jsonl"
    lines = path.read_text().replace('"shares":null', '"shares":{"yes":0.7,"no":0.3}')
    path.write_text(lines)
    rows = [(f"i{n}", "ann", "yes" if n % 2 else "no") for n in range(40)]
    found = corrections([run], labels_file(tmp_path / "labels.csv", rows)).tasks[0].whole[0]
    assert found.judge.value == pytest.approx(0.7)
    assert found.people.value == pytest.approx(0.5)


def test_a_judge_hardly_better_than_chance_is_refused_by_rogan_and_gladen(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    true = ["yes" if hit else "no" for hit in rng.random(200) < 0.5]
    said = [word if rng.random() < 0.52 else other(word) for word in true]
    found = whole(tmp_path, said, true[:100])
    assert found.rogan is not None
    assert found.rogan.value is None
    assert "hardly better than chance" in why(found, ROGAN)
    assert found.powered is not None
    assert found.powered.value is not None


def test_too_few_of_one_word_are_refused_by_rogan_and_gladen_alone(tmp_path: Path) -> None:
    found = whole(tmp_path, ["yes", "no"] * 50, [*["yes"] * 45, *["no"] * 5])
    assert found.rogan is not None
    assert why(found, ROGAN) == "5 units that people do not call 'yes'; at least 10 are needed"
    assert found.powered is not None
    assert found.powered.value is not None
    assert found.specificity is not None
    assert found.sensitivity is not None
    assert found.specificity.graded == 5


def test_labels_of_too_few_clusters_correct_nothing(tmp_path: Path) -> None:
    plays = [Play(item=f"i{n}", said="yes" if n % 3 else "no", cluster=f"c{n // 10}") for n in range(100)]
    run = judged_run(tmp_path / "run", plays)
    rows = [(f"i{n}", "ann", "yes" if n % 2 else "no") for n in range(60)]
    found = corrections([run], labels_file(tmp_path / "labels.csv", rows)).tasks[0].whole[0]
    assert found.clusters == 6
    for way in (PPI, ROGAN):
        assert dict(found.ways)[way].value is None
        assert why(found, way) == "too few labelled clusters: 6, at least 8 are needed"
    assert found.p_holm is None


def test_labels_of_a_cluster_are_no_independent_ones(tmp_path: Path) -> None:
    """Ten alike a cluster: the interval is that of 12 labels, not of 120."""
    rng = np.random.default_rng(6)
    true = np.repeat(np.where(rng.random(40) < 0.5, "yes", "no"), 10).tolist()
    clustered = [Play(item=f"i{n}", said=word, cluster=f"c{n // 10}") for n, word in enumerate(true)]
    alone = [Play(item=f"i{n}", said=word) for n, word in enumerate(true)]
    rows = [(f"i{n}", "ann", word if n % 40 else other(word)) for n, word in enumerate(true[:120])]
    labels = labels_file(tmp_path / "labels.csv", rows)
    found = []
    for name, plays in (("clustered", clustered), ("alone", alone)):
        powered = corrections([judged_run(tmp_path / name, plays)], labels).tasks[0].whole[0].people
        assert powered.low is not None
        assert powered.high is not None
        found.append(powered.high - powered.low)
    assert found[0] > 2 * found[1]


def test_what_is_ungraded_is_told_apart_with_its_bounds(tmp_path: Path) -> None:
    true, said = planted(np.random.default_rng(7), 100)
    plays = [Play(item=f"i{n}", said=word if n >= 20 else None) for n, word in enumerate(said)]
    run = judged_run(tmp_path / "run", plays)
    rows = [(f"i{n}", "ann", word) for n, word in enumerate(true[:60])]
    task = corrections([run], labels_file(tmp_path / "labels.csv", rows)).tasks[0]
    found = task.whole[0]
    assert (task.judged, task.ungraded, task.labelled, task.labelled_ungraded) == (80, 20, 40, 20)
    assert found.powered is not None
    assert found.powered.value is not None
    assert found.powered.worst == pytest.approx(0.8 * found.powered.value)
    assert found.powered.best == pytest.approx(0.8 * found.powered.value + 0.2)
    assert "if all ungraded things were at the low end" in words.bounds(found)


def test_people_who_tie_are_left_out_and_counted(tmp_path: Path) -> None:
    run = judged_run(tmp_path / "run", [Play(item=f"i{n}", said="yes" if n % 3 else "no") for n in range(60)])
    rows = [(f"i{n}", who, "yes" if who == "ann" or n >= 5 else "no") for n in range(30) for who in ("ann", "bob")]
    task = corrections([run], labels_file(tmp_path / "labels.csv", rows)).tasks[0]
    assert (task.tied, task.labelled) == (5, 25)
    assert "5 on which people are tied are left out" in words.counts(task)


def test_where_all_is_labelled_there_is_nothing_to_correct(tmp_path: Path) -> None:
    found = whole(tmp_path, ["yes", "no"] * 20, ["yes", "yes"] * 20)
    assert found.powered is not None
    assert found.powered.value is None
    assert why(found, PPI) == "people labelled all that was judged: their own mean needs no correction"
    assert found.people.value == 1


def places_run(folder: Path, said: dict[str, list[str]]) -> tuple[Path, dict[str, list[str]]]:
    """A run over places, and the items of each."""
    items = {place: [f"{place}-{n}" for n in range(len(each))] for place, each in said.items()}
    plays = [
        Play(item=item, said=word, place=place)
        for place, each in said.items()
        for item, word in zip(items[place], each, strict=True)
    ]
    return judged_run(folder / "run", plays), items


def test_places_are_weighed_by_their_share_where_labels_are_mixed_otherwise(tmp_path: Path) -> None:
    """People say yes in JP and no in GE, the judge always yes: four fifths of what was judged is of GE."""
    run, items = places_run(tmp_path, {"GE": ["yes"] * 400, "JP": ["yes"] * 90 + ["no"] * 10})
    rows = [(item, "ann", "no" if n % 10 else "yes") for n, item in enumerate(items["GE"][:30])]
    rows += [(item, "ann", "yes" if n % 10 else "no") for n, item in enumerate(items["JP"][:60])]
    task = corrections([run], labels_file(tmp_path / "labels.csv", rows)).tasks[0]
    found = task.whole[0]
    assert within(found.powered, 0.26)
    assert within(found.people, 0.26)
    assert "each by its share of what was judged, as labels are mixed otherwise" in told(task)


def test_a_place_without_labels_refuses_a_mean_over_all_where_the_mix_is_another(tmp_path: Path) -> None:
    run, items = places_run(tmp_path, {"GE": ["yes", "no"] * 100, "JP": ["yes", "no"] * 100})
    rows = [(item, "ann", "yes" if n % 2 else "no") for n, item in enumerate(items["JP"][:60])]
    task = corrections([run], labels_file(tmp_path / "labels.csv", rows)).tasks[0]
    found = task.whole[0]
    assert found.powered is not None
    assert found.powered.value is None
    assert "places are labelled otherwise than judged" in why(found, PPI)
    assert "Georgia" in why(found, PPI)
    assert told(task).startswith("Another mix:")


def test_labels_from_where_the_judge_says_something_else_are_warned_of(tmp_path: Path) -> None:
    true, said = planted(np.random.default_rng(8), 300)
    order = sorted(range(300), key=lambda n: said[n] != "yes")
    plays = [Play(item=f"i{n}", said=word) for n, word in enumerate(said)]
    run = judged_run(tmp_path / "run", plays)
    rows = [(f"i{n}", "ann", true[n]) for n in order[:100]]
    task = corrections([run], labels_file(tmp_path / "labels.csv", rows)).tasks[0]
    assert told(task).startswith("Another population: the judge's mean is +")


def test_a_random_sample_gives_no_warning(tmp_path: Path) -> None:
    true, said = planted(np.random.default_rng(8), 300)
    plays = [Play(item=f"i{n}", said=word) for n, word in enumerate(said)]
    run = judged_run(tmp_path / "run", plays)
    rows = [(f"i{n}", "ann", true[n]) for n in range(100)]
    assert corrections([run], labels_file(tmp_path / "labels.csv", rows)).tasks[0].warnings == ()


def test_places_have_their_own_corrections_with_holm_over_all_claims(tmp_path: Path) -> None:
    """In JP the judge takes a third of people's no for yes; in GE it never errs; in DE there are too few labels."""
    rng = np.random.default_rng(9)
    true = {place: ["yes" if hit else "no" for hit in rng.random(150) < 0.5] for place in ("DE", "GE", "JP")}
    said = {place: list(each) for place, each in true.items()}
    said["JP"] = ["yes" if word == "no" and rng.random() < 0.6 else word for word in true["JP"]]
    run, items = places_run(tmp_path, said)
    counts = {"DE": 5, "GE": 80, "JP": 80}
    rows = [(items[place][n], "ann", true[place][n]) for place, count in counts.items() for n in range(count)]
    task = corrections([run], labels_file(tmp_path / "labels.csv", rows), CorrectionOptions(by_place=True)).tasks[0]
    by_place = {each.place: each for each in task.places}
    assert task.family == 3, "the whole, GE and JP"
    assert by_place["JP"].significant
    assert not by_place["GE"].significant
    assert by_place["DE"].p_holm is None
    assert by_place["DE"].powered is not None
    assert by_place["DE"].powered.value is None
    note = [*place_blocks(task, tables_of(task, 0.95))][-1]
    assert isinstance(note, Paragraph)
    assert str(note.words).endswith("1 of 3 places have under 8 labelled clusters: too few.")
    assert by_place["JP"].p_holm == pytest.approx(min(1.0, 3 * by_place["JP"].difference.p))


def test_no_correction_is_carried_from_one_model_to_another(tmp_path: Path) -> None:
    true, said = planted(np.random.default_rng(10), 80)
    plays = [Play(item=f"i{n}", said=word) for n, word in enumerate(said)]
    one, two = judged_run(tmp_path / "a", plays), judged_run(tmp_path / "b", plays, model="openai/other")
    sample = drawn([one], [f"i{n}" for n in range(50)], "none")
    rows = [(f"{MODEL}:i{n}", "ann", true[n]) for n in range(50)]
    found = corrections([one, two], labels_file(tmp_path / "labels.csv", rows, ids=True), None, sample)
    assert [task.model for task in found.tasks] == [MODEL]
    assert [each.model for each in found.without] == ["openai/other"]
    assert f"no labels of its own on polite; those of {MODEL} are not carried over" in words.describe_uncorrected(
        found.without[0]
    )


def test_two_judgings_of_one_answer_are_each_corrected_by_the_labels_of_it(tmp_path: Path) -> None:
    true, said = planted(np.random.default_rng(11), 80)
    one = judged_run(tmp_path / "a", [Play(item=f"i{n}", said=word) for n, word in enumerate(said)])
    two = judged_run(tmp_path / "b", [Play(item=f"i{n}", said=word) for n, word in enumerate(true)])
    for name in ("transcripts.jsonl",):
        (two / "cell-0" / name).write_bytes((one / "cell-0" / name).read_bytes())
    sample = drawn([one], [f"i{n}" for n in range(50)], "none")
    rows = [(f"{MODEL}:i{n}", "ann", true[n]) for n in range(50)]
    found = corrections([one, two], labels_file(tmp_path / "labels.csv", rows, ids=True), None, sample)
    assert [task.labelled for task in found.tasks] == [50, 50]
    assert not found.without


def test_labels_by_name_say_that_nobody_can_see_what_they_were_given_to(tmp_path: Path) -> None:
    true, said = planted(np.random.default_rng(1), 60)
    plays = [Play(item=f"i{n}", said=word) for n, word in enumerate(said)]
    run = judged_run(tmp_path / "run", plays)
    labels = labels_file(tmp_path / "labels.csv", [(f"i{n}", "ann", true[n]) for n in range(40)])
    assert "cannot see whether" in told(corrections([run], labels).tasks[0])
    sample = drawn([run], [f"i{n}" for n in range(40)], "none")
    rows = [(f"{MODEL}:i{n}", "ann", true[n]) for n in range(40)]
    by_id = labels_file(tmp_path / "ids.csv", rows, ids=True)
    assert corrections([run], by_id, None, sample).tasks[0].remarks == ()


def test_one_label_an_episode_counts_as_many_times_as_its_episode_has_things(tmp_path: Path) -> None:
    """Long episodes are all no, short ones all yes; by one label each, half the labels say yes, a tenth of things."""
    plays = [Play(item=f"s{n}", said="yes", cluster=f"s{n}") for n in range(40)]
    plays += [Play(item=f"l{n}-{k}", said="no" if k else "yes", cluster=f"l{n}") for n in range(40) for k in range(9)]
    run = judged_run(tmp_path / "run", plays)
    names = [*(f"s{n}" for n in range(0, 40, 2)), *(f"l{n}-{n % 9}" for n in range(0, 40, 2))]
    sample = drawn([run], names, "episode")
    rows = [(f"{MODEL}:{name}", "ann", "yes" if name[0] == "s" else "no") for name in names]
    task = corrections([run], labels_file(tmp_path / "labels.csv", rows, ids=True), None, sample).tasks[0]
    assert task.whole[0].people.value == pytest.approx(0.1)
    assert task.whole[0].difference.difference == pytest.approx(
        -27 / 200
    )  # 3 of 20 long ones, each standing for 9 things
    assert within(task.whole[0].powered, 0.1)
    assert "not each counts alike in this mean" in told(task)


def uneven(folder: Path) -> tuple[TaskCorrected, dict[str, Any]]:
    """Episodes of one thing and of nine, one label each; the judge takes half the no of long ones for yes."""
    rng = np.random.default_rng(4)
    plays, true = [], {}
    for episode, size in enumerate([1, 9] * 60):
        for k in range(size):
            name, word = f"e{episode}-{k}", ("no", "yes")[int(rng.random() < (0.7 if size == 1 else 0.4))]
            wrong = rng.random() < (0.5 if size == 9 and word == "no" else 0.1)
            true[name] = word
            plays.append(Play(item=name, said=other(word) if wrong else word, cluster=f"e{episode}"))
    run = judged_run(folder / "run", plays)
    names = [f"e{episode}-{rng.integers(0, size)}" for episode, size in enumerate([1, 9] * 60) if episode % 6 < 4]
    sample = drawn([run], names, "episode")
    rows = [(f"{MODEL}:{name}", "ann", true[name]) for name in names]
    found = corrections([run], labels_file(folder / "labels.csv", rows, ids=True), None, sample)
    return found.tasks[0], as_data(analyse(found))["corrections_apart"][0]


def test_the_j_that_is_shown_is_the_one_that_makes_the_figure(tmp_path: Path) -> None:
    """(p + sp - 1) / J, all of it weighed; the interval has a J of its own."""
    task, plain = uneven(tmp_path)
    found = task.whole[0]
    assert found.rogan is not None
    assert found.judge.value is not None
    assert found.specificity is not None
    assert found.sensitivity is not None
    assert found.specificity.value is not None
    assert found.sensitivity.value == pytest.approx(plain["youden"] + 1 - found.specificity.value)
    assert found.rogan.value == pytest.approx((found.judge.value + found.specificity.value - 1) / plain["youden"])
    said = f"J = se + sp − 1 = {plain['youden']:.2f}, in the interval {plain['youden_of_interval']:.2f}"
    assert words.aside(ROGAN, found.rogan, found) == said
    assert plain["youden_of_interval"] < plain["youden"]


def test_people_less_judge_is_weighed_as_the_means_beside_it_are(tmp_path: Path) -> None:
    task, _ = uneven(tmp_path)
    found = task.whole[0]
    assert found.people.value is not None
    assert found.judge.value is not None
    apart = found.difference
    assert apart.difference == pytest.approx(found.people.value - found.judge.value, abs=0.06)
    assert apart.low is not None
    assert apart.high is not None
    assert apart.low < apart.difference < apart.high < 0


def test_a_confidence_that_was_asked_for_is_that_of_all_intervals(tmp_path: Path) -> None:
    true, said = planted(np.random.default_rng(12), 200)
    plays = [Play(item=f"i{n}", said=word) for n, word in enumerate(said)]
    run = judged_run(tmp_path / "run", plays)
    labels = labels_file(tmp_path / "labels.csv", [(f"i{n}", "ann", true[n]) for n in range(100)])
    wide, narrow = (
        [figure for _, figure in corrections([run], labels, CorrectionOptions(confidence=share)).tasks[0].whole[0].ways]
        for share in (0.99, 0.8)
    )
    for one, two in zip(wide, narrow, strict=True):
        assert one.low is not None
        assert one.high is not None
        assert two.low is not None
        assert two.high is not None
        assert one.high - one.low > two.high - two.low


def test_one_method_alone_can_be_asked_for(tmp_path: Path) -> None:
    true, said = planted(np.random.default_rng(12), 100)
    plays = [Play(item=f"i{n}", said=word) for n, word in enumerate(said)]
    run = judged_run(tmp_path / "run", plays)
    labels = labels_file(tmp_path / "labels.csv", [(f"i{n}", "ann", true[n]) for n in range(60)])
    ppi = corrections([run], labels, CorrectionOptions(method="ppi")).tasks[0].whole[0]
    assert [name for name, _ in ppi.ways] == ["judge, uncorrected", "PPI++", "people alone"]
    rogan = corrections([run], labels, CorrectionOptions(method="rogan-gladen")).tasks[0].whole[0]
    assert [name for name, _ in rogan.ways] == ["judge, uncorrected", "Rogan–Gladen", "people alone"]


def test_a_label_of_something_else_is_refused_with_its_line(tmp_path: Path) -> None:
    run = judged_run(tmp_path / "run", [Play(item=f"i{n}", said="yes") for n in range(9)])
    labels = labels_file(tmp_path / "labels.csv", [("i1", "ann", "yes"), ("j1", "ann", "no")])
    with pytest.raises(InputError, match=r"labels\.csv:3: j1, sample 0, polite was not judged"):
        corrections([run], labels)


def test_a_list_that_was_picked_for_people_to_decide_corrects_nothing(tmp_path: Path) -> None:
    """Such as what a certificate sends to people: just the things that the judge is worst at."""
    true, said = planted(np.random.default_rng(1), 80)
    run = judged_run(tmp_path / "run", [Play(item=f"i{n}", said=word) for n, word in enumerate(said)])
    sample = replace(drawn([run], [f"i{n}" for n in range(40)], "none"), population=40)
    rows = [(f"{MODEL}:i{n}", "ann", true[n]) for n in range(40)]
    task = corrections([run], labels_file(tmp_path / "labels.csv", rows, ids=True), None, sample).tasks[0]
    for way in (PPI, ROGAN):
        assert dict(task.whole[0].ways)[way].value is None
        assert "selected, not drawn at random" in why(task.whole[0], way)
    assert told(task).startswith("No correction:")


def test_a_sample_that_holds_everything_was_drawn_and_not_picked(tmp_path: Path) -> None:
    """Of which people have labelled a part; its rows say by what chance they came in."""
    true, said = planted(np.random.default_rng(1), 80)
    run = judged_run(tmp_path / "run", [Play(item=f"i{n}", said=word) for n, word in enumerate(said)])
    every = drawn([run], [f"i{n}" for n in range(80)], "none")
    sample = replace(every, population=80, rows=tuple(replace(row, chance=1.0) for row in every.rows))
    rows = [(f"{MODEL}:i{n}", "ann", true[n]) for n in range(40)]
    task = corrections([run], labels_file(tmp_path / "labels.csv", rows, ids=True), None, sample).tasks[0]
    assert task.whole[0].powered is not None
    assert task.whole[0].powered.value is not None


def test_an_episode_that_several_models_lived_is_drawn_among_all_of_them(tmp_path: Path) -> None:
    """One label an episode over two models: long episodes count as long for each of them."""
    plays = [Play(item=f"s{n}", said="yes", cluster=f"s{n}") for n in range(40)]
    plays += [Play(item=f"l{n}-{k}", said="no" if k else "yes", cluster=f"l{n}") for n in range(40) for k in range(9)]
    one, two = judged_run(tmp_path / "a", plays), judged_run(tmp_path / "b", plays, model="openai/other")
    names = [*(f"s{n}" for n in range(0, 40, 2)), *(f"l{n}-{n % 9}" for n in range(0, 40, 2))]
    first, second = drawn([one], names, "episode"), drawn([two], [], "episode")
    sample = replace(first, rows=(*first.rows, *second.rows))
    rows = [(f"{MODEL}:{name}", "ann", "yes" if name[0] == "s" else "no") for name in names]
    labels = labels_file(tmp_path / "labels.csv", rows, ids=True)
    found = corrections([one, two], labels, None, sample)
    assert found.tasks[0].whole[0].people.value == pytest.approx(0.1)
