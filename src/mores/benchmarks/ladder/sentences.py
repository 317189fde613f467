"""Sentences on a ladder: its break and size, or what could have been seen, and what that means."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mores.benchmarks.ladder.contrasts import LABELS, ONE_LABEL, SIZE, RungContrast, first_break
from mores.benchmarks.ladder.courtesy import GUESSED, describe_polite, no_better
from mores.benchmarks.ladder.ladders import GroupLadder, Ladder
from mores.benchmarks.ladder.rungs import ORDER, Rung, above_guessing
from mores.core.estimate import Estimate
from mores.stats.intervals import MIN_CLUSTERS
from mores.stats.rogan_gladen import FLAWLESS, JudgeErrors, LabelSource, RateRange
from mores.tables import formatting as words
from mores.tables.blocks import CellValue, Finding, Inline, Span, Words
from mores.tables.missing_texts import brief_reason, format_missing

MUCH = 0.1
"""Unusable answers from this share on are named."""
NAMED = 4
"""Models that a finding names; of more it says how many."""
_FAULTS = {"format_error": "could not be read", "refusal": "were declined"}
_LABELS: Mapping[LabelSource, str] = {
    "judged": "labels",
    "people": "labels of other answers by people",
    "synthetic": "synthetic labels of other answers",
    "file": "labels of other answers by nobody knows whom",
}
_DOING = {
    "know": "knowing the norms when asked",
    "judge": "judging scenes by the norms",
    "explain": "explaining judgements by the norms",
    "apply": "keeping to the norms in open answers",
    "converse": "keeping to the norms in dialogues",
    "live": "keeping to the norms through a day",
}
_SHORT = {
    "judge": "seeing where a norm applies, rather than knowing it",
    "explain": "giving the reason, rather than giving the answer",
    "apply": "using a norm unprompted, rather than knowing it",
    "converse": "keeping a norm under pressure, rather than knowing it",
    "live": "keeping a norm while busy, rather than knowing it",
}


def describe_break(drops: Sequence[RungContrast]) -> str:
    """The break of one group's ladder in a sentence; else that none was found, and what could have been seen."""
    found = first_break(drops)
    sunk = "".join(f" {_sunk(drop)}" for drop in drops if drop.sinks)
    doubt = "".join(f" {_suspect(drop)}" for drop in drops if drop.may_be_judge and drop.grounded)
    if found is not None:
        again = [each for each in drops[drops.index(found) + 1 :] if each.breaks]
        more = "".join(f" It falls again, {named(each)}: {_fall(each)} ({_evidence(each)})." for each in again)
        judged = f" Over what is known of its judges, the drop is {within(found)} points." if found.judged else ""
        return (
            f"breaks at {found.after}: {_fall(found)} from {found.before} ({_evidence(found)})."
            f"{judged}{more}{sunk}{doubt}"
        )
    tested = [drop for drop in drops if drop.tested and not drop.sinks]
    if not tested:
        return f"no break.{sunk}" if sunk else f"no claim: {_whys(drops)}."
    if not any(drop.found or (drop.opened and drop.able) for drop in tested):
        return f"{_unsought(tested)}{sunk}{doubt}"
    small = ", ".join(f"{named(drop)} {_fall(drop)}" for drop in tested if drop.found)
    range_ = " that every judge of the range would show" if any(drop.judged for drop in tested) else ""
    only = f", though there are smaller changes: {small}" if small else ""
    untested = [f"{named(drop)}: {format_missing(drop.contrast.missing)}" for drop in drops if not drop.tested]
    gone = f" Not tested: {'; '.join(untested)}." if untested else ""
    above = " starting above the zero of its rung" if sunk else ""
    family = max(drop.family for drop in tested)
    none = f"no drop of more than {100 * SIZE:.0f} points{above}{range_} is found{only} (Holm over {family})."
    return f"{none} {_seeable(tested)}{gone}{sunk}{doubt}"


def _unsought(tested: Sequence[RungContrast]) -> str:
    """Reason that no drop of a group could be found, whatever its norms show."""
    if any(drop.able for drop in tested):
        return "no break: no drop of its is found over all norms, which are tested first."
    return f"no break: {tested[0].contrast.clusters} independent norms are too few to show a drop by themselves."


def findings_of(found: Sequence[Ladder]) -> Iterator[Finding]:
    """Breaks of models over all norms, or that no break is found and what could have been seen."""
    broken = [(ladder, drop) for ladder in found if (drop := ladder.whole.broken) is not None]
    for rung in ORDER:
        if some := [(ladder, drop) for ladder, drop in broken if drop.after == rung]:
            yield _breaking(rung, some)
    whole = [ladder for ladder in found if ladder.whole.broken is None and ladder.whole.claims]
    if whole:
        sure = _least_seen([drop for ladder in whole for drop in ladder.whole.drops if drop.tested])
        statement: Words = ("No break is found in ", *_models(whole), ".")
        yield Finding(id="ladder.no_break", words=statement, sure=sure, weight="breaks", found=False)
    unexplained = [ladder for ladder in found if not ladder.whole.claims]
    if unexplained:
        sure = f"Not tested: {_whys([drop for ladder in unexplained for drop in ladder.whole.drops])}."
        statement = ("A break is not evaluated for ", *_models(unexplained), ".")
        yield Finding(id="ladder.not_tested", words=statement, sure=sure, weight="breaks", found=False)
    yield from _other_packs(found)
    doubtful = [
        (ladder, drop) for ladder in found for drop in ladder.whole.drops if drop.may_be_judge and drop.grounded
    ]
    for ladder, drop in doubtful:
        ends = (CellValue(value=end, format="points") for end in (drop.contrast.least, drop.contrast.most))
        yield Finding(
            id="ladder.may_be_judge",
            words=(
                *_models([ladder]),
                " falls by ",
                CellValue(value=drop.contrast.size_judged, format="points"),
                f" points at {drop.after} as judged; errors of the judge may explain this.",
            ),
            sure=(*words.joined(ends, " to "), f" points over the range of judges{_mark([drop])}."),
            found=False,
        )


def _other_packs(found: Sequence[Ladder]) -> Iterator[Finding]:
    """That models were held against different norms, such as two editions of one pack."""
    used: dict[tuple[str, str], dict[str, None]] = {}
    for ladder in found:
        for rung in ladder.rungs:
            for pack in rung.evaluation.provenance.data.items():
                if pack[0].startswith("pack "):
                    used.setdefault(pack, {})[ladder.label] = None
    if len(used) > 1:
        alike = len({name for name, _ in used}) < len(used)
        named = ((f"{name} ({sha})" if alike else name, ", ".join(models)) for (name, sha), models in used.items())
        sure = f"{'; '.join(f'{name}: {models}' for name, models in named)}."
        statement = "The figures are of different packs of norms, and do not compare."
        yield Finding(id="ladder.packs", words=statement, sure=sure, weight="doubtful", found=False)


def _breaking(rung: str, some: Sequence[tuple[Ladder, RungContrast]]) -> Finding:
    """Models that break at one rung, with how far they fall."""
    drops = sorted((drop for _, drop in some), key=lambda drop: drop.contrast.size or 0.0)
    least, most = drops[0], drops[-1]
    many, alike = len(some) > 1, _points(least.contrast.size) == _points(most.contrast.size)
    sizes = words.joined([_size(least)] if alike else [_size(least), _size(most)], " to ")
    p = CellValue(value=max(drop.p_holm for drop in drops if drop.p_holm is not None), format="full_p")
    sure: tuple[Inline, ...] = (p, f" or less{_mark(drops)}")
    if not many:
        ends = words.joined(CellValue(value=end, format="points") for end in (least.contrast.low, least.contrast.high))
        sure = ("95% interval [", *ends, f"]{_mark(drops)}, ", p)
    one = len({drop.before for drop in drops}) == 1
    below = (" ", *sizes, f" points below {least.before}") if one else ()
    return Finding(
        id="ladder.breaks",
        words=(*_models([ladder for ladder, _ in some]), f" break{'' if many else 's'} at {rung}:", *below, "."),
        sure=(*sure, " after Holm's correction."),
        weight="breaks",
    )


def _size(drop: RungContrast) -> CellValue:
    return CellValue(value=drop.contrast.size, format="points")


def _models(ladders: Sequence[Ladder]) -> tuple[Inline, ...]:
    """The names of up to NAMED models, else their number."""
    if len(ladders) > NAMED:
        return (f"{len(ladders)} models",)
    return words.joined(Span(ladder.label, "model") for ladder in ladders)


def _least_seen(tested: Sequence[RungContrast]) -> str:
    """The falls that would have been found on every pair of rungs, and what more norms or labels would show."""
    sizes = [size for drop in tested if (size := drop.contrast.minimum_detectable) is not None]
    blind = dict.fromkeys(drop.after for drop in tested if words.is_out_of_reach(drop.contrast))
    if not sizes and not blind:
        return "No norm differs between rungs."
    if not sizes:
        return f"No fall, however large, can be found.{_limits(tested)}"
    where = f"; at {', '.join(blind)} no fall can be found" if blind else " on any rung"
    return f"Minimum detectable effect: {100 * max(sizes):.0f} points{where}.{_limits(tested)}"


def _limits(tested: Sequence[RungContrast]) -> str:
    """Falls that no number of norms would show under the judges' range, and those that labels would."""
    unlimited = [drop.unlimited for drop in tested if drop.unlimited is not None]
    labelled = [drop.labelled for drop in tested if drop.labelled is not None]
    judged = any(drop.judged for drop in tested)
    if not judged:
        return ""
    none = f" With these judges no fall under {100 * min(unlimited):.0f} can, however many norms" if unlimited else ""
    shows = f"{LABELS} labels a rung would show {100 * max(labelled):.0f}" if labelled else ""
    return f"{none}; {shows}." if none and shows else f"{none or (shows and f' {shows}')}." if none or shows else ""


def _fall(drop: RungContrast) -> str:
    """Size of a fall or rise in points with the interval: `down 21.0 points [12.0, 30.0]`."""
    found = drop.contrast
    if found.size is None:
        return words.DASH
    down, interval = found.size >= 0, ""
    if found.low is not None and found.high is not None:
        ends = (found.low, found.high) if down else (0.0 - found.high, 0.0 - found.low)
        interval = f" [{', '.join(map(_points, ends))}]"
    return f"{'down' if down else 'up'} {_points(abs(found.size))} points{interval}{_mark([drop])}"


def _mark(drops: Sequence[RungContrast]) -> str:
    """Mark for the answers behind some drops, after a space; empty for nothing."""
    return "".join(f" {mark}" for mark in dict.fromkeys(mark for drop in drops for mark in words.bracketed_mark(drop)))


def _evidence(drop: RungContrast) -> str:
    """The corrected p, the norms and the family: `p = 0.003, Holm over 5; n = 135 norms in 45 clusters`."""
    norms, clusters = drop.contrast.units, drop.contrast.clusters
    drawn = "" if clusters == norms else f" in {clusters:,} clusters"
    return f"{words.format_p(drop.p_holm)}, Holm over {drop.family}; n = {words.plural(norms, 'norm')}{drawn}"


def named(drop: RungContrast) -> str:
    """The two rungs: `know → judge`."""
    return f"{drop.before} → {drop.after}"


def _seeable(drops: Sequence[RungContrast]) -> str:
    """Minimum detectable effect, drop by drop, and what more norms or labels would show."""
    sizes = [(drop, size) for drop in drops if (size := drop.contrast.minimum_detectable) is not None]
    from_ = ", ".join(f"{named(drop)} {100 * size:.0f}" for drop, size in sizes)
    blind = [f"{named(drop)} {words.NOT_REACHABLE}" for drop in drops if words.is_out_of_reach(drop.contrast)]
    if not sizes and not blind:
        return "No norm differs between rungs, so the minimum detectable effect is unknown."
    parts = ", ".join([*([f"{from_} points"] if from_ else []), *blind])
    centre = " for judges at the centre of their range" if any(drop.judged for drop in drops) else ""
    return f"Minimum detectable effects of such a drop, with power .8{centre}: {parts}.{_limits(drops)}"


def describe_meaning(ladder: Ladder) -> Iterator[str]:
    """Meaning of the first break: a remedy, what may hide in it, and what is missing on the lowest rung already."""
    found, lowest = ladder.whole.broken, ladder.whole.scores[0]
    if found is not None:
        better = f"It is better at {_DOING[found.before]} than at {_DOING[found.after]}"
        skipped = ladder.skipped(found.before, found.after)
        if skipped:
            were = f"{', '.join(skipped)} {'was' if len(skipped) == 1 else 'were'} not run"
            yield f"{better}; {were} between the two, so the first weakness is not known."
        else:
            yield f"{better}: the first weakness is {_SHORT[found.after]}."
    if lowest is not None and lowest.value is not None:
        name = ladder.rungs[0].name
        where = "which asks for knowledge alone" if name == "know" else "the lowest rung that was run"
        if above_guessing(lowest, ladder.whole.polite[0] if ladder.whole.polite else None):
            missing = f"{_points(1 - lowest.value)} of 100 points are missing"
            yield f"At {name}, {where}, {missing} already; drops do not show these."
        else:
            zero = no_better(name)
            yield f"At {name}, {where}, it is no better than {zero}; from there later rungs cannot fall further."
    ends = {ladder.rungs[0].name, *((found.before, found.after) if found is not None else ())}
    yield from (sentence for rung in ladder.rungs if rung.name in ends and (sentence := _unusable(rung)))


def _unusable(rung: Rung) -> str:
    """Share of a rung that could not be read or was declined, where that is much; empty where it is not."""
    shares = {what: rung.evaluation.overall(metric) for metric, what in _FAULTS.items()}
    much = {what: e.value for what, e in shares.items() if e is not None and e.value is not None and e.value >= MUCH}
    if not much:
        return ""
    faults = " and ".join(f"{words.format_number(share)} of answers {what}" for what, share in much.items())
    return (
        f"At {rung.name}, {faults}. This loss may come from the form of the answers rather than from a lack of skill."
    )


def _sunk(drop: RungContrast) -> str:
    """A fall that starts from the zero of its rung, where nothing was left to lose."""
    falls = f"{drop.after} is {_fall(drop)} from there ({_evidence(drop)}), which does not show a loss of skill"
    return f"At {drop.before} it is already no better than {no_better(drop.before)}; {falls}."


def _suspect(drop: RungContrast) -> str:
    """A fall that chance does not explain, and some judge of the range does."""
    sentence = (
        f"{drop.after} lies {_points(drop.contrast.size_judged)} points below {drop.before} as judged{_mark([drop])}. "
        "Chance does not explain this, but errors of the judge may: over what is known of the judges of these rungs, "
        f"the drop is {within(drop)} points."
    )
    if drop.support is not None:
        sentence += f" It is a break for {words.format_whole(drop.support)}% of the judges of the range, spread evenly."
    if drop.holds_from is None:
        return sentence
    if drop.holds_from >= 1:
        return f"{sentence} It would hold only for judges without errors."
    from_ = _share(drop.holds_from)
    return f"{sentence} It would hold if the sensitivity and specificity of the judges were {from_} or more."


def describe_start(ladder: Ladder) -> str:
    """Zero of the rungs, what mere politeness gets, and how far above that the model lies; empty for unknown."""
    row = ladder.whole
    polite = [*zip((rung.name for rung in ladder.rungs), row.polite, strict=True)] if row.polite else []
    says = describe_polite(polite)
    people = _figures((rung.name, rung.people) for rung in ladder.rungs)
    asked = f"People who were asked the same keep: {people}." if people else ""
    if not says:
        return asked
    above = [
        f"{name} {words.format_number(score.value - share, sign=False)}"
        for (name, share), score in zip(polite, row.scores, strict=True)
        if name not in GUESSED and share is not None and score is not None and score.value is not None
    ]
    sentence = f"Who knows no norm and is merely polite keeps, as stated and not measured: {says}."
    masked = _figures(ladder.masked.items())
    return " ".join(
        (
            sentence,
            *((f"Points above that: {', '.join(above)}.",) if above else ()),
            *((f"Without its place the model itself keeps (measured): {masked}.",) if masked else ()),
            *((asked,) if asked else ()),
        )
    )


def _figures(of: Iterable[tuple[str, Estimate | None]]) -> str:
    """Figures by the name of their rung; empty for none."""
    known = ((name, each) for name, each in of if each is not None and each.value is not None)
    return ", ".join(f"{name} {words.text_of(CellValue(value=each), 'share')}" for name, each in known)


def describe_judges(ladder: Ladder) -> str:
    """Known errors of the judges of its rungs; empty where nobody judged."""
    stated: dict[str, list[str]] = {}
    for scores in ladder.norm_scores:
        if scores.judge is not FLAWLESS:
            stated.setdefault(_rates(scores.judge), []).append(scores.rung.name)
    if not stated:
        return ""
    assumed = "; ".join(f"on {', '.join(rungs)} {rates}" for rates, rungs in stated.items())
    band = any(not scores.judge.labelled for scores in ladder.norm_scores if scores.judge is not FLAWLESS)
    centre = (
        " Figures are corrected for a judge at the centre of its range; the judge band is what they would be for all."
        if band
        else ""
    )
    return (
        f"Judges make errors. Assumed of them: {assumed}.{centre} A break is reported only where it holds for all such "
        "judges, of each rung apart."
    )


def describe_groups(ladder: Ladder) -> str:
    """In how many groups a break is found, out of how many that could be asked, and how many are too small."""
    asked = [row for row in ladder.groups if row.claims]
    if not asked:
        return f"No group has the {MIN_CLUSTERS} independent norms that a claim needs."
    kinds = Counter(row.group.kind for row in asked)
    listed = ", ".join(f"{n} {words.kinds_name(kind) if n > 1 else kind}" for kind, n in kinds.items())
    found = f"{len(ladder.broken)} of them" if ladder.broken else "none of them"
    return f"Claims are made about {len(asked)} groups ({listed}); a break is found in {found}.{_small(asked)}"


def _small(asked: Sequence[GroupLadder]) -> str:
    """Groups in which no drop could be found: those with too few norms, and those that all norms go before."""
    tested = [[drop for drop in row.drops if drop.tested] for row in asked]
    few = sum(not any(drop.able or drop.found for drop in drops) for drops in tested)
    opened = dict.fromkeys(named(drop) for drops in tested for drop in drops if drop.opened)
    first = " All norms are tested first; groups are tested for a drop that is found over all norms"
    first += f": {', '.join(opened)}." if opened else ", and none is."
    if not few:
        return first
    have = "has too few norms" if few == 1 else "have too few norms"
    return f"{first} {few} {have} to show a drop by themselves, whatever they answer, and cost the others nothing."


def within(drop: RungContrast) -> str:
    """Bounds over all judges of the range: `8.1 to 21.0`; a dash where no judge had a part."""
    least, most = drop.contrast.least, drop.contrast.most
    return words.DASH if not drop.judged or least is None or most is None else f"{_points(least)} to {_points(most)}"


def claim_of(drop: RungContrast) -> Inline:
    """Claim about it."""
    if drop.breaks:
        return Span("found, large", "alarm")
    if drop.sinks:
        return f"no break: {drop.before} is no better than {no_better(drop.before)}"
    if drop.may_be_judge:
        return f"may be judge error{f': would hold from {drop.holds_from:.2f}' if drop.holds_from else ''}"
    if drop.found:
        return "found, not large"
    if drop.tested:
        few = "not found: too few norms" if not drop.able else "not found"
        return few if drop.opened else "not found over all norms"
    missing = drop.contrast.missing
    brief = "no scene has one of the labels" if missing and missing.code == ONE_LABEL else brief_reason(missing)
    return Span(f"no claim: {brief}", title=format_missing(missing))


def describe_excluded_norms(alone: int, ungraded: int) -> str:
    """Norms that are not in a drop; empty for none."""
    counts = {"asked on one rung only": alone, "not graded on both": ungraded}
    return ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)


def _rates(judge: JudgeErrors) -> str:
    one, other = judge.rates
    if one == other and not judge.labelled:
        return f"sensitivity and specificity each from {_share(one.low)} to {_share(one.high)}, as stated"
    return f"sensitivity {_rate(one)}, specificity {_rate(other)}"


def _rate(rate: RateRange) -> str:
    if rate.labels:
        return f"{_share(rate.low)} by {rate.labels:.0f} {_LABELS[rate.source or 'judged']}"
    return f"from {_share(rate.low)} to {_share(rate.high)}, as stated"


def _share(value: float) -> str:
    """A rate of a judge: `.93`, `1`."""
    return f"{value:.2f}".lstrip("0") if value < 1 else "1"


def _whys(drops: Sequence[RungContrast]) -> str:
    return "; ".join(dict.fromkeys(format_missing(drop.contrast.missing) for drop in drops if drop.contrast.missing))


def _points(share: float | None) -> str:
    return words.format_number(share, sign=False)
