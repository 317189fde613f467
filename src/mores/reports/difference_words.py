"""Differences of two models in words, and as plain values for programs: the same in a terminal and on a page."""

from dataclasses import fields

from mores.core.card import Metric
from mores.reports import wording
from mores.reports.comparison import Beside, Compared
from mores.reports.differences import CORRECTIONS, Difference, Family, reach_of
from mores.stats.intervals import FEWEST

SHOWN = 8
"""Groups in a table, at most: those with the smallest p of all that differ."""
FINE = 20
"""Range of a metric's points below which they are told with two digits."""
_FIGURES = tuple(f.name for f in fields(Difference) if f.name != "group")
_OF_WHOLE = tuple(name for name in _FIGURES if name not in {"p_holm", "p_bh"})


def apart(found: Difference, metric: Metric | None) -> str:
    """A difference in points with its interval, or with the short reason why there is none."""
    whole = signed(found.difference, metric)
    if found.low is None or found.high is None:
        few = "too few" if (found.why or "").startswith("too few") else found.why or "no interval"
        return f"{whole} ({few})"
    return f"{whole} [{signed(found.low, metric)}, {signed(found.high, metric)}]"


def signed(difference: float | None, metric: Metric | None) -> str:
    """A difference with its sign: in percentage points of a share, else in the metric's own points."""
    if difference is None or wording.is_share(metric):
        return wording.points_apart(difference)
    told = f"{difference:+.{_digits(metric)}f}"
    return told.lstrip("+-") if float(told) == 0 else told.replace("-", "−")


def _digits(metric: Metric | None) -> int:
    """Digits after the point: a scale of a few points has two."""
    return 2 if 1 < reach_of(metric) < FINE else 1


def over(found: Difference) -> str:
    """Units and, where they are fewer, clusters."""
    clusters = "" if found.clusters == found.units else f" in {found.clusters:,} clusters"
    return f"n {found.units:,}{clusters}"


def seen(compared: Compared) -> str:
    """The least difference that could have been seen, in a sentence or two."""
    whole, metric = compared.whole, compared.described
    if whole.detectable is None:
        return "No unit differs, so what could have been seen is unknown."
    if whole.detectable > reach_of(metric):
        return "So few units cannot show any difference (power .8, level .05)."
    told = f"Could have seen a difference of {points(whole.detectable, metric)} points (power .8, level .05)."
    if whole.detectable_true is None:
        return told
    beyond = whole.detectable_true > reach_of(metric)
    true = "more than there can be" if beyond else f"{points(whole.detectable_true, metric)} points"
    return f"{told} Of the truth, as the judge errs (J {compared.judge_quality:g}, given): {true}."


def points(size: float, metric: Metric | None) -> str:
    """A size in percentage points of a share, else in the metric's own points."""
    return f"{100 * size if wording.is_share(metric) else size:.{_digits(metric)}f}"


def least_seen(found: Difference, metric: Metric | None) -> str:
    """The least difference that a group could have shown, in points; a dash where no unit differs."""
    return wording.DASH if found.detectable is None else points(min(reach_of(metric), found.detectable), metric)


def left_out(compared: Compared) -> str:
    """What is not in it, in a sentence; empty for nothing."""
    counts = {
        "items only in A": compared.only_a,
        "items only in B": compared.only_b,
        "units not graded in both": compared.ungraded,
    }
    told = [f"{count:,} {what}" for what, count in counts.items() if count]
    return f"Left out: {', '.join(told)}." if told else ""


def judged(beside: Beside) -> str:
    """Another metric than the headline, in one sentence."""
    whole, metric = beside.whole, beside.described
    a, b = wording.number(whole.a, metric), wording.number(whole.b, metric)
    told = f", {wording.chance_of(whole.p_holm)}" if whole.p_holm is not None else ""
    lower = " (lower is better)" if metric is not None and metric.better == "lower" else ""
    return f"{beside.metric}{lower}: A {a}, B {b}; B − A: {apart(whole, metric)} points{told}; {over(whole)}."


def beside_family(compared: Compared) -> str:
    """How many other metrics there are to be corrected for."""
    return f"Other metrics, a family of {_besides(compared)} (p after Holm's correction); no alarm rests on them:"


def _besides(compared: Compared) -> int:
    return sum(beside.whole.p is not None for beside in compared.beside)


def family_told(family: Family) -> str:
    """How many of a family differ by both corrections, and what each is for."""
    name = wording.kinds_name(family.kind)
    if family.size == 0:
        return (
            f"{name[0].upper()}{name[1:]}: all {family.untested} have fewer than {FEWEST} clusters, too few for a claim"
        )
    return (
        f"{name[0].upper()}{name[1:]}, a family of {family.size}: {family.found} differ at .05 by Holm's correction, "
        f"{family.screened} by Benjamini and Hochberg's, which is for screening "
        f"(of those at most one in twenty is false on average){_too_few(family)}"
    )


def _too_few(family: Family) -> str:
    return f"; {family.untested} more have fewer than {FEWEST} clusters, too few for a claim" if family.untested else ""


def bare(p: float | None) -> str:
    """A p-value without its letter; a dash for none."""
    return wording.DASH if p is None else wording.chance_of(p).removeprefix("p ").removeprefix("= ")


def plain_benchmark(compared: Compared) -> dict[str, object]:
    """All figures of one benchmark, for programs."""
    return {
        "metric": compared.metric,
        "simulated": compared.simulated,
        **{name: getattr(compared.whole, name) for name in _OF_WHOLE},
        "judge_quality": compared.judge_quality,
        "corrections": CORRECTIONS,
        "family": compared.family,
        "places": [_plain_member("place", member) for member in compared.places],
        "groups": {family.kind: _plain_family(family) for family in compared.families if family.kind != "place"},
        "only_a": compared.only_a,
        "only_b": compared.only_b,
        "ungraded": compared.ungraded,
        "notes": compared.notes,
        "beside": {b.metric: plain_difference(b.whole) for b in compared.beside},
        "beside_family": _besides(compared),
    }


def _plain_family(family: Family) -> dict[str, object]:
    return {"family": family.size, "members": [_plain_member(family.kind, member) for member in family.members]}


def _plain_member(kind: str, member: Difference) -> dict[str, object]:
    return {kind: member.group, **plain_difference(member)}


def plain_difference(found: Difference) -> dict[str, object]:
    """All figures of one difference."""
    return {name: getattr(found, name) for name in _FIGURES}
