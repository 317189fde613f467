"""The funnel of a build as a picture: a bar a stage, what passed and what was dropped, with the reasons in words."""

from collections.abc import Iterator, Sequence
from html import escape

from mores.pipelines.outcomes import Step

WIDTH, LEFT, BAR, ROW = 760, 130, 420, 46
PASSED, LOST, INK, SOFT = "#2a6f97", "#d9a066", "#1b1b1b", "#595959"
"""Both fills stand out from white and from each other in grey too."""


def funnel_picture(name: str, steps: Sequence[Step], *, simulated: bool) -> str:
    """The funnel as SVG, its figures as text beside each bar; the same steps give the same bytes."""
    most = max((step.came for step in steps), default=0)
    height = 56 + ROW * len(steps)
    told = "; ".join(f"{step.stage}: {step.came:,} came, {step.passed:,} passed" for step in steps)
    made_up = " (simulated)" if simulated else ""
    rows = "\n".join(line for number, step in enumerate(steps) for line in _row(step, most, 40 + ROW * number))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="sans-serif" font-size="13">\n'
        f"<title>Funnel of {escape(name)}{made_up}</title>\n<desc>{escape(told)}</desc>\n"
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>\n'
        f'<text x="12" y="24" font-size="15" fill="{INK}">{escape(name)}{made_up}: what passed each stage</text>\n'
        f"{rows}\n</svg>\n"
    )


def _row(step: Step, most: int, top: int) -> Iterator[str]:
    """One stage: its name, the bar, the counts and the commonest reasons."""
    passed, came = (round(BAR * count / most, 1) if most else 0.0 for count in (step.passed, step.came))
    yield f'<text x="{LEFT - 10}" y="{top + 17}" text-anchor="end" fill="{INK}">{escape(step.stage)}</text>'
    yield f'<rect x="{LEFT}" y="{top}" width="{passed}" height="24" fill="{PASSED}"/>'
    yield f'<rect x="{LEFT + passed}" y="{top}" width="{round(came - passed, 1)}" height="24" fill="{LOST}"/>'
    yield f'<text x="{LEFT + BAR + 10}" y="{top + 17}" fill="{INK}">{step.passed:,} of {step.came:,}</text>'
    reasons = sorted(step.dropped.items(), key=lambda pair: (-pair[1], pair[0]))
    if reasons:
        more = f", {len(reasons) - 2} more reasons" if len(reasons) > 2 else ""
        words = ", ".join(f"{count:,} {reason}" for reason, count in reasons[:2])
        yield f'<text x="{LEFT}" y="{top + 38}" font-size="11" fill="{SOFT}">dropped: {escape(words + more)}</text>'
