"""Counts that tell of a group and of nobody in it."""

from collections.abc import Mapping

FEWEST = 5
"""People that a count must be of to be shown."""


def shown_counts(counts: Mapping[str, int]) -> dict[str, int]:
    """The counts that may be shown beside their total, largest first; none where that would tell of a small one.

    A count under five is not shown, and neither is what would give it away: all that is left out together is of five
    people at least and of two answers at least, as the total less what is shown is theirs.

    >>> shown_counts({"yes": 20, "no": 7, "": 2})
    {'yes': 20}
    """
    ordered = sorted(((count, name) for name, count in counts.items() if count), reverse=True)
    kept = [each for each in ordered if each[0] >= FEWEST]
    hidden = ordered[len(kept) :]
    while hidden and kept and (len(hidden) < 2 or sum(count for count, _ in hidden) < FEWEST):
        hidden.append(kept.pop())
    return {name: count for count, name in kept}
