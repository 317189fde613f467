"""What results are, in words; how values are written is in `mores.blocks.formatting`."""

from collections.abc import Iterable, Iterator, Mapping

from mores.analysis.results import Result, Results
from mores.blocks.formatting import format_causes
from mores.core.code_errors import is_error_of_code, please_report
from mores.core.verdict import Ungraded
from mores.models.logs.logged_reply import ReplyCounts


def cautions(results: Results) -> tuple[str, ...]:
    """What is said first of all: that a run is not finished, and which headlines could be graded by less than half."""
    return (*_so_far(results), *_few_graded(results.evaluations))


def _so_far(results: Results) -> Iterator[str]:
    if results.so_far is None:
        return
    done, asked = results.so_far
    missing = ", ".join(dict.fromkeys(f"{each.benchmark} by {each.model}" for each in results.missing))
    rest = f", and nothing of {missing}" if missing else ""
    yield (
        f"Partial: {done:,} of {asked:,} plays are done{rest}. What ends first may differ from the rest, so these "
        "figures can still change."
    )


def _few_graded(evaluations: Iterable[Result]) -> Iterator[str]:
    for each in evaluations:
        if each.mostly_ungraded and (whole := each.whole()) is not None:
            causes = format_causes(each.causes()) or "no cause is known"
            those = f"{whole.graded:,} of {whole.asked:,} for {each.benchmark} by {each.label}"
            yield f"Less than half could be graded: {those} ({causes})."


def describe_broken(result: Result) -> Iterator[str]:
    """Which items failed by an error of code, a sentence for each whose code it is, with the first of them."""
    causes = [cause for cause in result.provenance.ungraded if is_error_of_code(cause)]
    found: dict[str, dict[str, str]] = {cause: {} for cause in causes}
    for verdict in result.every_verdict() if causes else ():
        if isinstance(verdict, Ungraded) and verdict.cause in found:
            found[verdict.cause].setdefault(verdict.about.item, verdict.raw)
    for cause, items in found.items():
        first, says = next(iter(items.items()))
        others = f" and {len(items) - 1:,} more" if len(items) > 1 else ""
        yield (
            f"{result.benchmark} by {result.model}: {first}{others} could not be played or judged ({says}). "
            f"{please_report(cause)}"
        )


def describe_recording(counts: ReplyCounts) -> str:
    """What became of the replies of another program's log: those that were used, those that were not, and why."""
    used = {
        "by id": counts.by_name,
        "by the row's own document": counts.by_document,
        "by the words asked": counts.by_words,
        "by the question within another template": counts.by_contents,
    }
    unused = {
        "ambiguous": counts.ambiguous,
        "to no question asked here": counts.unmatched,
        **(counts.reasons or {"no words to play back": counts.left_out}),
    }
    told = [f"{counts.layout}: {counts.matched:,} of {counts.replies:,} replies used{_counted(used)}"]
    if any(unused.values()):
        told.append(f"not used{_counted(unused)}")
    told += [f"{counts.reordered:,} had their options in another order, and are read by it"] if counts.reordered else []
    told += [f"{counts.weighed:,} chosen by log-likelihood among the words offered"] if counts.weighed else []
    if counts.in_other_words:
        told.append(f"{counts.in_other_words:,} were asked in other words")
    if counts.missing:
        told.append(f"{counts.missing:,} answers are not there")
    told += [f"left out are {', '.join(counts.odd)}"] if counts.odd else []
    return "; ".join((*told, *counts.remarks))


def _counted(counts: Mapping[str, int]) -> str:
    return f" ({', '.join(f'{count:,} {what}' for what, count in counts.items() if count)})"
