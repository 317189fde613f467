"""Whether a table speaks of one judging: the same judges, asked in the same words, each thing once."""

from collections.abc import Iterator

from mores.core.errors import InputError
from mores.people.judged import Cell
from mores.people.tables import TaskTable


def refuse_mixed(table: TaskTable) -> None:
    """Nothing, if all rows were judged by the same judges in the same words, and no answer stands twice.

    Raises:
        InputError: a figure over them would be about no one judge.
    """
    cells = {row.cell.folder: row.cell for row in table.rows}
    first, *others = cells.values()
    for other in others:
        if other.judges != first.judges:
            raise InputError(
                f"{table.name}: judged by {_told(first)} in {first.run} and by {_told(other)} in {other.run}; figures "
                "are of one judge: give runs that were judged alike, or one after another."
            )
    prompts = {row.prompt for row in table.rows}
    if len(prompts) > 1 or len({bool(row.options) for row in table.rows}) > 1:
        raise InputError(
            f"{table.name}: judges were asked in {len(prompts)} different ways in {', '.join(_runs(table))}; expected "
            "runs of one version and one scale, or one after another."
        )
    seen: dict[tuple[object, ...], Cell] = {}
    for row in table.rows:
        before = seen.setdefault((row.cell.model, row.thing), row.cell)
        if before is not row.cell:
            raise InputError(
                f"{row.thing.told} of {row.cell.model} stands in {before.run} and in {row.cell.run}; give one of them."
            )


def _told(cell: Cell) -> str:
    return ", ".join(cell.judges.values())


def _runs(table: TaskTable) -> Iterator[str]:
    yield from dict.fromkeys(str(row.cell.run) for row in table.rows)
