"""Reasons for missing figures and intervals in words: the one place that puts the codes of `Missing` into sentences."""

from collections.abc import Callable
from typing import Any

from mores.core.codec import field_names, is_noun
from mores.core.estimate import Caution, Missing

_TOO_FEW = {
    "too_few_clusters": "too few clusters: {n}",
    "too_few_clusters_by_size": (
        "too few clusters: {n}, and the largest holds {figures[1]:.0f} of {figures[2]:.0f} units; they weigh as "
        "{figures[0]}"
    ),
    "too_few_clusters_by_strata": (
        "too few clusters: {n}, and strata of few hold much of the weight; they weigh as {figures[0]}"
    ),
    "too_few_clusters_by_weight": "too few clusters: {n} clusters that count unevenly are worth {figures[0]:.1f}",
    "too_few_clusters_of_class": "too few clusters of class '{told}': {n}",
    "too_few_conditions": "too few prompt variants or orders: {n}",
    "too_few_families": "too few families of models: {n}",
    "too_few_levels": "too few of its kind: {n}",
    "too_few_models": "too few models: {n}",
    "too_few_norms": "too few norms: {n}",
    "too_few_places": "too few places: {n}",
    "too_few_questions": "too few questions: {n}",
    "too_few_regions": "too few regions: {n}",
    "too_few_regions_for_a_range": "too few regions: {n}",
}
"""Reasons of too small a number, which a page shortens to two words; how many are needed is added."""
_NEEDED = ", at least {needed} are needed"
_UNCERTIFIED = {
    "errors_not_under_risk": (
        "their share is not under {figures[0]:g} at any level; ask a better judge, or claim a larger risk."
    ),
    "first_level_failed": (
        "too many to certify {figures[0]:g} there, though a later of {of} levels would pass Bonferroni; label more "
        "items, as other levels chosen now would void the promise."
    ),
    "first_setting_failed": (
        "The first of {of} settings failed at {figures[0]:g}, though all draws kept would pass, and {n} settings would "
        "pass Bonferroni; label more items. Another split would void the promise."
    ),
    "loss_not_under_risk": (
        "With all draws kept the right judgement is missing for {figures[0]:.3g} of {n} units, not under "
        "{figures[1]:g}; ask a better judge, or claim a larger risk."
    ),
    "one_surest_is_wrong": "Of the {of} most confident decisions {n} is wrong: {because}",
    "surest_are_wrong": "Of the {of} most confident decisions {n} are wrong: {because}",
    "too_few_items_to_show_share": (
        "at some level their share is under {figures[0]:g}, and {n} items are too few to show that it is so of all; "
        "label more items."
    ),
    "too_few_reach_a_level": (
        "At most {n} items reach a level, and {figures[0]:g} needs {needed} without an error; label more items."
    ),
    "too_few_units_to_show_loss": (
        "With all draws kept the right judgement is missing for {figures[0]:.3g} of {n} units: under {figures[1]:g}, "
        "and so few units cannot show that it is so of all; label more items."
    ),
    "units_cannot_certify": (
        "{n} independent units cannot certify {figures[0]:g} even without a loss; label at least {needed}."
    ),
}
"""Reasons for no certificate, with what to do; stored in certificates, so that a changed word changes their hash."""
_REASONS = {**{code: f"{words}{_NEEDED}" for code, words in _TOO_FEW.items()}, **_UNCERTIFIED} | {
    "all_equal": "all ratings that can be compared are equal",
    "band_too_wide": "no point before labels, see the judge band",
    "no_guess_at_open": "no guess at an open answer",
    "class_never_said": "the judge never says '{told}'",
    "class_not_in_gold": "no gold label is '{told}'",
    "class_of_neither": "neither gives the class '{told}'",
    "covariate_constant": "the covariate is constant; no slope",
    "dates_on_one_side": "all dated items are on one side of its release",
    "describes": "descriptive of these {told} only; no interval",
    "errors_of_judges_do_not_vary": (
        "no two judges both have errors and right answers, so that errors do not correlate"
    ),
    "fewer_than_two_groups": "fewer than two groups with {needed} clusters at least",
    "fewer_than_two_items": "fewer than two items are graded for all models",
    "fewer_than_two_places": "fewer than two places",
    "figures_and_labels_constant": "figures and labels do not vary",
    "gap_by_chance": "p = {figures[0]:.3g}: gaps as large in {n} permutations of places over clusters",
    "gap_of_permutations": "the mean of {n} permutations, not a figure of the places",
    "gap_of_the_paper": "it grows with how strict a place's norms are: see the figure without _paper",
    "gap_with_chance": "chance alone spreads places too: see region_gap_null",
    "groups_alike": "all groups have one and the same figure",
    "hangs_on_one_family": "without one family of models nothing is left to tell it by",
    "hangs_on_one_cluster": "it depends on one cluster; without that, {because}",
    "hardly_any_kept": "almost no correct answers: none, or in one cluster alone",
    "hopeless_judge": "by its labels the judge is hardly better than chance",
    "interval_of_p": "a p-value has no interval",
    "judge_hardly_better_than_chance": (
        "the judge is hardly better than chance: sensitivity + specificity - 1 is {figures[0]:.2f}, under {figures[1]}"
    ),
    "labels_do_not_tell": "people's labels do not tell: {told}",
    "models_alike": "all models have the same sum",
    "no_date_of_model": "nobody says when the model was released: --fact released=2024-06 of a run does",
    "no_place_on_both_sides": "no place has items from before and from after it",
    "no_common_norm": "no norm is graded on both rungs",
    "no_remarks": "the judge was asked in words of others, which ask for no remark",
    "no_encoder": "no encoder: --set encoder=NAME takes a model of embeddings, and is no judge",
    "no_errors": "no errors",
    "no_judge": "no judge: --judge NAME has one say it too",
    "no_length_labels": (
        "nobody's labels: --set length_labels=FILE takes points that people gave to answers of this run"
    ),
    "no_pair_of_models": "no pair of models has {needed} regions in common on which both scores vary",
    "no_question_of_norms_asked": "no question has all its norms among those asked about",
    "no_thinking": "no answer shows any thinking where the script of it would tell its language",
    "no_such_figure": "the run has no such figure",
    "no_such_labels": "no such labels",
    "no_two_ratings": "no unit has two ratings",
    "no_two_raters": "no unit has two raters",
    "no_unit_differs": "no unit differs",
    "no_two_verdicts": "no item has two verdicts",
    "no_verdict_and_two_people": "no unit has a verdict and two people",
    "not_asked_both_ways": "not asked both ways",
    "not_asked_without_norms": "not asked without the norms",
    "not_in_this_run": "not in this run",
    "nothing_graded": "nothing graded",
    "nothing_graded_for_all": "nothing graded for all",
    "nothing_graded_for_both": "nothing graded for both",
    "of_class": "class '{told}': {because}",
    "one_label_missing": "no scene among them has the label {told}, so that one word for all may pass",
    "one_class_of_all": "all raters give one and the same class throughout",
    "one_class_of_both": "both raters give one and the same class throughout",
    "one_is_constant": "one of the two is the same throughout",
    "one_judge": "one judge, or several that cannot be read apart: not known; a second --judge would tell",
    "one_sample": "one sample: not known; --samples 2 would tell",
    "one_wording": "one wording: not known; --prompt-variants would tell",
    "one_order": "one order: not known; --orders would tell",
    "one_vote": "one vote an answer: --judge-samples asks a judge again, several --judge ask several",
    "other_data": "other data",
    "other_judges": "other judges: {told}",
    "other_questions": "models were asked other questions, or of some nothing is graded",
    "other_norms": "the rungs were run on different packs of norms",
    "pairs_without_correlation": "{n} of {of} pairs have no correlation",
    "put_right_for_length": (
        "corrected for length: {figures[0]:.4f} points a unit of log words, standard error {figures[1]:.4f}, from {n} "
        "labelled answers"
    ),
    "range_widened_by_resampling": (
        "resampling alone widens the range by a fifth or more, so that most of it may be chance"
    ),
    "rankings_constant": "{n} of {of} rankings put all {figures[0]:.0f} in one place",
    "read_in_two_ways": "labels read in two ways: {told}",
    "resamples_lose_a_correlation": "{n} of {of} resamples of regions lose a correlation",
    "rung_not_graded": "{told}: nothing graded",
    "rest_not_asked": (
        "a question's other statements were not asked once one was judged wrong (--set stop=wrong), so that those "
        "that were asked are no sample of all"
    ),
    "same_differences": "every cluster has the same difference",
    "same_means": "every cluster has the same mean",
    "shows_no_difference": "so few units cannot show any difference",
    "single_run_equally_off": "the single run is nowhere off by another amount",
    "single_run_without_error": "the single run makes no error",
    "steps_unknown": "it is not known how many steps of a day were judged",
    "thin_scores_alike": "thin scores do not differ",
    "too_few_for_a_claim": "too few for a claim: {of} norms in {n} clusters, {needed} are needed",
    "too_few_labelled": (
        "{n} labelled clusters and {figures[0]:.0f} judged units; at least 2 and 1 are needed in every stratum"
    ),
    "too_few_labelled_of_stratum": (
        "{n} labelled clusters and {figures[0]:.0f} judged units of '{told}'; at least 2 and 1 are needed in every "
        "stratum"
    ),
    "too_few_models_for_quartiles": "{n} of the {needed} models that quartiles need",
    "too_few_regions_for_a_range": f"{_TOO_FEW['too_few_regions']}{_NEEDED} for a range",
    "too_few_people": "people with {of} items or more: {n}; at least {needed} are needed",
    "too_few_units_called": "{figures[0]:.3g} units that people call {told}; at least {needed} are needed",
    "too_many_pairs": "{n} distinct pairs of values; at most {of} are resampled",
    "undefined_in_resamples": "undefined in {n} of {of} resamples of clusters",
    "values_constant": "values do not vary",
}
_CAUTIONS = {
    "answers_alike": "{n:,} of {of:,} answers are “{names}”",
    "answers_broken": "{n:,} of {of:,} answers were cut, unreadable or refused",
    "answers_cut": "{n:,} of {of:,} answers were cut at their limit",
    "answers_refused": "{n:,} of {of:,} answers were refused",
    "answers_repeated": "the same words in {n:,} of {of:,} answers: “{names}”",
    "answers_unreadable": "{n:,} of {of:,} answers could not be read",
    "both_judged_by_themselves": "{names}, was judged by itself",
    "compared_by_mean_points": "{names} is counted in a way of its own; compared here are the mean points of units",
    "data_differ": "the data differ: {names}; items are paired by id",
    "form_differs": (
        "answers that could not be read differ: {names}; a difference may be one of their form and not of skill"
    ),
    "judged_by_itself": "{names} was judged by itself",
    "labels_from_outside": "labels from outside what was judged, which tell nothing of it: {names}",
    "mixed_otherwise": "labelled units are mixed otherwise than judged ones (p = {p:.2g}); weigh by strata",
    "model_altered": "{words[0]}: {words[1]}",
    "no_random_sample": (
        "the judge's mean is {size:+.3f} away in the labelled units (p = {p:.2g}); they are no random sample"
    ),
    "nobody_thought": "{words[0]} was told to think ({words[1]}), and no answer shows any thinking",
    "one_judged_by_itself": "{names}, was judged by itself, and the other was not",
    "prompts_differ": "the prompts differ: {names}",
    "ranked_by_mean_points": (
        "{words[0]}: {words[1]} is counted in a way of its own; ranked here by the mean points of units"
    ),
    "thinking_differs": "how much the subjects were told to think differs: {names}",
    "unlabelled": "judged but without labels, so not corrected by these: {names}",
}
"""Cautions on figures that are there."""
_MARKS = {
    "answers_broken": "unusable",
    "answers_cut": "cut",
    "answers_refused": "refused",
    "answers_repeated": "the same words",
    "answers_unreadable": "unreadable",
}
"""The same beside a figure; of answers that are all alike, their label."""
TOO_FEW = "too few"


def reason_words(code: str) -> str:
    """Words of a reason as they stand here, with slots in braces; for who translates them.

    >>> reason_words("no_two_raters")
    'no unit has two raters'
    """
    return _REASONS[code]


def format_missing(missing: Missing | None, say: Callable[[str], str] = str) -> str:
    """Reason that something is missing, without a full stop; empty for nothing.

    `say` translates the words before their slots are filled.

    >>> format_missing(Missing(code="too_few_clusters", n=5, needed=8))
    'too few clusters: 5, at least 8 are needed'
    >>> format_missing(Missing(code="told", told="not in this run"))
    'not in this run'
    """
    if missing is None:
        return ""
    words = _REASONS.get(missing.code, "{told}")
    text = _filled(say(words), missing, say)
    return text if "{because}" in words else "; ".join(filter(None, (format_missing(missing.because, say), text)))


def brief_reason(missing: Missing | None) -> str:
    """The same, without how many are needed where there were too few.

    >>> brief_reason(Missing(code="too_few_clusters", n=5, needed=8))
    'too few clusters: 5'
    """
    too_few = None if missing is None else _TOO_FEW.get(missing.code)
    return format_missing(missing) if missing is None or too_few is None else _filled(too_few, missing)


def format_caution(caution: Caution) -> str:
    """Caution on figures in words, without a full stop.

    >>> format_caution(Caution(code="prompts_differ", words=("ask.v1", "ask.v2")))
    'the prompts differ: ask.v1, ask.v2'
    """
    names, words = ", ".join(caution.words), caution.words
    n, of = caution.n, caution.of
    return _CAUTIONS[caution.code].format(names=names, words=words, size=caution.size, p=caution.p, n=n, of=of)


def format_mark(caution: Caution | None) -> str:
    """Mark of a figure in two words, for what most answers behind it are; empty for nothing.

    >>> format_mark(Caution(code="answers_unreadable", n=223, of=248))
    '89% unreadable'
    >>> format_mark(Caution(code="answers_alike", n=29, of=30, words=("A",)))
    '96% “A”'
    """
    if caution is None:
        return ""
    return f"{100 * caution.n // caution.of}% {_MARKS.get(caution.code) or f'“{caution.words[0]}”'}"


def _filled(words: str, missing: Missing, say: Callable[[str], str] = str) -> str:
    measured = {name: getattr(missing, name) for name in field_names(missing)}
    return words.format(**measured | {"because": format_missing(missing.because, say)})


def short_reason(missing: Missing | None, otherwise: str = "") -> str:
    """Two words where things were too few; else `otherwise`, or the whole reason where that is empty."""
    return TOO_FEW if missing is not None and missing.code in _TOO_FEW else otherwise or format_missing(missing)


def plain_key(name: str, value: object) -> str:
    """The name by which programs know a field: `why`, where it says what is missing."""
    return "why" if name == "missing" and isinstance(value, Missing | None) else name


def plain_fields(noun: Any, *names: str, **renamed: str) -> dict[str, object]:
    """A noun's fields for programs, those of the nouns within it too: all, or some of them, `renamed` by other names.

    A caution is there only where something has to be known.

    >>> plain_fields(Missing(code="told", n=5), "n", cause="code")
    {'n': 5, 'cause': 'told'}
    """
    chosen = {name: name for name in names} | renamed or {name: name for name in field_names(noun)}
    held = ((key, getattr(noun, name)) for key, name in chosen.items())
    return {plain_key(key, each): to_plain(each) for key, each in held if key != "caution" or each is not None}


def to_plain(value: object) -> object:
    """A value for programs: nouns by the names of their fields, with the words of what is missing as `why`.

    Cautions are told in words, too.
    """
    if isinstance(value, Missing):
        return format_missing(value)
    if isinstance(value, Caution) and value.code in _CAUTIONS:
        return format_caution(value)
    if is_noun(value):
        return plain_fields(value)
    if isinstance(value, dict):
        return {name: to_plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(each) for each in value]
    return value
