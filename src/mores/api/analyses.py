"""What analyses found, as tables: each is declared as columns and made from rows."""

from collections.abc import Mapping
from typing import Any

from mores.analysis.comparison import Comparison
from mores.api.frames import Frame, Kind
from mores.blocks.reasons import format_caution, format_missing
from mores.core.estimate import caution_of
from mores.reports.sections.comparison import KEYS

Row = Mapping[str, Any]
Kinds = dict[str, Kind]
DIFFERENCES: Kinds = {
    "benchmark": "text", "model_a": "text", "model_b": "text", "metric": "text", "kind": "text", "group": "text",
    "a": "number", "b": "number", "difference": "number", "low": "number", "high": "number", "p": "number",
    "p_holm": "number", "p_bh": "number", "detectable": "number", "units": "integer", "clusters": "integer",
    "why": "text", "caution": "text",
}  # fmt: skip


def differences_frame(found: Comparison) -> Frame:
    """A row a difference, B less A: of the headline over everything, its groups, and other metrics."""
    rows = (
        {
            "benchmark": of.benchmark, "model_a": of.a.model, "model_b": of.b.model, "metric": each.metric,
            "kind": each.group.kind or None, "group": each.group.value or None,
            **{key: getattr(each, name) for key, name in KEYS.items()}, **_said_of(each),
        }
        for of in found.compared
        for each in (of.whole, *(one for members in of.families.values() for one in members), *of.beside)
    )  # fmt: skip
    return Frame.of_rows("differences", DIFFERENCES, rows)


def _why(found: Any) -> str | None:
    return format_missing(found.missing) or None


def _said_of(found: Any) -> dict[str, str | None]:
    """Why something of it is missing, and what has to be known of it."""
    return {"why": _why(found), "caution": _caution(found)}


def _caution(found: object) -> str | None:
    caution = caution_of(found)
    return None if caution is None else format_caution(caution)
