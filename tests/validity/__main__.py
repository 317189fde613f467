"""Print the measured coverage of every design as a table in Markdown: `python -m tests.validity [RUNS]`."""

import sys

from tests.validity.designs import CLUSTERED, DESIGNS, HARSH, Design, coverage


def line(design: Design, runs: int) -> str:
    """One row of the table."""
    found = coverage(design, runs)
    noise = 200 * (found.held * (1 - found.held) / found.runs) ** 0.5
    units = f"{sum(design.units):,} in {len(design.units)}"
    return (
        f"| {design.name} | {design.skill} | {units} | {100 * found.held:.1f} ± {noise:.1f} | "
        f"{100 * found.too_low:.1f} | {100 * found.too_high:.1f} | {100 * found.width:.1f} | {found.runs:,} |"
    )


def main() -> None:
    """The table on standard output, a line as soon as it is known."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print("| design | skill | units in places | held, % | truth above, % | truth below, % | width, points | runs |")  # noqa: T201
    print("|---|---|---|---|---|---|---|---|")  # noqa: T201
    for designs, times in ((DESIGNS, runs), (CLUSTERED, max(500, runs // 4)), (HARSH, runs)):
        for design in designs:
            print(line(design, times), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
