"""Write the table of docs/validity.md anew: `python -m tests.validity [DRAWS]`; 1,000 draws are the doctor's own."""

import sys
from collections.abc import Sequence
from pathlib import Path

from mores.cli.statistics import cells
from mores.core.seeds import Seed
from mores.validity.conduct import USUAL, conduct
from mores.validity.promises import Found
from mores.validity.registry import EXPERIMENTS

PAGE = Path(__file__).parents[2] / "docs" / "validity.md"
BEGIN, END = "<!-- certificate: measured, begin -->", "<!-- certificate: measured, end -->"
HEADS = "| family | promise | nominal | found | ± | draws | given | |\n|---|---|--:|--:|--:|--:|--:|---|\n"


def table(found: Sequence[Found]) -> str:
    """The table in Markdown."""
    rows = []
    for one in found:
        verdict, share, nominal, error, draws, given, name = cells(one)
        rows.append(f"| {one.family} | {name} | {nominal} | {share} | {error} | {draws} | {given} | {verdict} |\n")
    return HEADS + "".join(rows)


def rows_in(page: str) -> list[tuple[str, str, str]]:
    """Family, promise and verdict of each row of a page's table."""
    _, _, rest = page.partition(BEGIN)
    inside, _, _ = rest.partition(END)
    lines = [line for line in inside.splitlines() if line.startswith("| ")][1:]
    columns = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [(row[0], row[1], row[-1]) for row in columns]


def told(done: int, of: int) -> None:
    """Progress on standard error."""
    sys.stderr.write(f"\r{done} of {of}" if done < of else "\n")


def main() -> None:
    """Carry all experiments out and put the table between the marks."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else USUAL
    found = list(conduct(EXPERIMENTS, draws=draws, seed=Seed("doctor-0"), told=told))
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, tail = rest.partition(END)
    said = f"`mores doctor --statistics --draws {draws}`:\n\n"
    PAGE.write_text(f"{head}{BEGIN}\n{said}{table(found)}{END}{tail}", encoding="utf-8")
    sys.exit(0 if all(one.sound for one in found) else 1)


if __name__ == "__main__":
    main()
