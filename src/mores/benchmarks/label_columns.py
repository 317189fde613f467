"""Columns of somebody's table of labels: `id=Input.id,annotator=WorkerId,label=Answer.label`."""

from collections.abc import Mapping

from msgspec import Struct

from mores.core.errors import InputError, did_you_mean

COLUMNS = ("id", "code", "item", "task", "sample", "step", "norm", "place", "words", "annotator", "label")
"""What a row of labels may say, by the names of our own."""
NAMES_A_ROW = ("id", "code", "item")
KEEP = "keep"


class LabelColumns(Struct, frozen=True, kw_only=True):
    """The column of a table that each of ours is, and which rows count: those with one of `values` in `kept_by`.

    `values` are in small letters.
    """

    typed: str = ""
    named: Mapping[str, str] = {}
    kept_by: str = ""
    values: frozenset[str] = frozenset()

    @classmethod
    def read(cls, text: str | None) -> "LabelColumns":
        """Those that were typed; none where nothing was.

        >>> columns = LabelColumns.read("id=Input.id,label=Answer.label,keep=AssignmentStatus:Approved|Submitted")
        >>> columns.named["id"], columns.kept_by, sorted(columns.values)
        ('Input.id', 'AssignmentStatus', ['approved', 'submitted'])

        Raises:
            InputError: it is not so written, or names what no row of labels says.
        """
        named: dict[str, str] = {}
        for part in filter(None, map(str.strip, (text or "").split(","))):
            ours, equals, theirs = (each.strip() for each in part.partition("="))
            if ours not in (*COLUMNS, KEEP):
                raise InputError(
                    f"--columns {part}: a row of labels says no '{ours}'.{did_you_mean(ours, (*COLUMNS, KEEP))} "
                    f"Expected some of {', '.join((*COLUMNS, KEEP))}."
                )
            if not equals or not theirs or ours in named:
                raise InputError(f"--columns {part}: expected each once, such as label=Answer.label.")
            named[ours] = theirs
        kept_by, _, values = named.pop(KEEP, "").rpartition(":")
        if values and not kept_by:
            raise InputError(f"--columns {KEEP}={values}: expected a column and its value, such as {KEEP}=Status:Done.")
        wanted = frozenset(value.strip().casefold() for value in values.split("|"))
        return cls(typed=text or "", named=named, kept_by=kept_by, values=wanted if kept_by else frozenset())

    def __bool__(self) -> bool:
        return bool(self.named or self.kept_by)

    def missing(self, cells: Mapping[str, str]) -> list[str]:
        """Columns that were named and are not there."""
        return [name for name in (*self.named.values(), self.kept_by) if name and name not in cells]

    def left_out(self, cells: Mapping[str, str]) -> str:
        """Reason that a row does not count, in words; nothing where it does."""
        value = cells[self.kept_by].strip() if self.kept_by else ""
        return f"with {self.kept_by} '{value}'" if self.kept_by and value.casefold() not in self.values else ""

    def of(self, cells: Mapping[str, str]) -> dict[str, str]:
        """The cells under names of our own; what else may name a row is put aside where one of these was named."""
        aside = NAMES_A_ROW if any(name in self.named for name in NAMES_A_ROW) else ()
        kept = {name: cell for name, cell in cells.items() if name not in aside}
        return kept | {ours: cells[theirs] for ours, theirs in self.named.items()}


AS_NAMED = LabelColumns()
"""A table whose columns are called as ours are."""
