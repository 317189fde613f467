"""Write the table of docs/measured.md anew, in the long form: `python -m tests.validity [FILE]`.

Another page than that of the documents may be named, to which the table is written alone.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from mores.cli.statistics import evaluations, progress
from mores.core.seeds import Seed
from mores.validity.runner import EXPERIMENTS, PromiseResult, long, run_experiments

PAGE = Path(__file__).parents[2] / "docs" / "measured.md"
BEGIN, END = "<!-- certificate: measured, begin -->", "<!-- certificate: measured, end -->"
HEADS = "| family | promise | nominal | found | ± | draws | given | power | |\n|---|---|--:|--:|--:|--:|--:|--:|---|\n"


def table(found: Sequence[PromiseResult]) -> str:
    """The table in Markdown."""
    rows = []
    for one in found:
        verdict, *figures, name = evaluations(one)
        share, nominal, *rest = figures
        rows.append(f"| {' | '.join((one.family, name, nominal, share, *rest, verdict))} |\n")
    return HEADS + "".join(rows)


def rows_in(page: str) -> list[tuple[str, str, str]]:
    """Family, promise and verdict of each row of a page's table."""
    _, _, rest = page.partition(BEGIN)
    inside, _, _ = rest.partition(END)
    lines = [line for line in inside.splitlines() if line.startswith("| ")][1:]
    columns = [[evaluation.strip() for evaluation in line.strip("|").split("|")] for line in lines]
    return [(row[0], row[1], row[-1]) for row in columns]


def main() -> None:
    """Carry all experiments out and put the table between the marks."""
    page = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    found = list(run_experiments(EXPERIMENTS, forms=long, seed=Seed("doctor-0"), on_progress=progress()))
    text = page.read_text(encoding="utf-8") if page.exists() else BEGIN + END
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    said = "`mores doctor statistics --long`:\n\n"
    page.write_text(f"{head}{BEGIN}\n{said}{table(found)}{END}{tail}", encoding="utf-8")
    sys.exit(0 if all(one.sound for one in found) else 1)


if __name__ == "__main__":
    main()
