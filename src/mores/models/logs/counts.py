"""What became of the replies of a recording: each was used, or is counted under the reason why not."""

from msgspec import Struct, structs

NAMED_ROWS = 3
"""Rows that could not be read, of which it is said what is wrong with them."""


class ReplyCounts(Struct, frozen=True, kw_only=True):
    """What became of a log's replies for one benchmark; with the unmatched and those left out they add up.

    `layout` is which program's log it is. `in_other_words` of those matched are of items to which other words were put
    there, as far as the log tells; `missing` answers are wanted, and the log has none. `reasons` says why replies were
    left out, `odd` what was wrong with the first rows that could not be read, and `remarks` how a table was read. Of
    those matched, `reordered` had their options shown in another order, and `weighed` chose among words offered by
    their log-likelihood.
    """

    layout: str
    replies: int
    by_name: int
    by_words: int
    by_contents: int
    in_other_words: int
    ambiguous: int
    unmatched: int
    left_out: int
    missing: int
    by_document: int = 0
    reordered: int = 0
    weighed: int = 0
    reasons: dict[str, int] = {}
    odd: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def matched(self) -> int:
        """Replies that answer a question."""
        return self.by_name + self.by_document + self.by_words + self.by_contents


def counts_of_table(layout: str, **known: int) -> ReplyCounts:
    """Counts of replies that a table names by item; those not told are 0."""
    none = ReplyCounts(
        layout=layout, replies=0, by_name=0, by_words=0, by_contents=0, in_other_words=0, ambiguous=0, unmatched=0,
        left_out=0, missing=0,
    )  # fmt: skip
    return structs.replace(none, **known)
