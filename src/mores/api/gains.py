"""What places add to scores, as a table."""

from mores.analysis.controls import gains
from mores.analysis.groups import PLACE
from mores.analysis.results import Results
from mores.api.frames import Column, Frame
from mores.blocks.reasons import format_missing


def gains_frame(results: Results) -> Frame:
    """A row a model, benchmark and control, and one for each of its places: the score with the place and without."""
    found = [(gain, each) for gain in gains(results) for each in (gain.whole, *gain.families.get(PLACE, ()))]
    plain = [gain.plain for gain, _ in found]
    columns = {
        "run": Column("text", [str(each.run) for each in plain]),
        "model": Column("text", [each.label for each in plain]),
        "benchmark": Column("text", [each.benchmark for each in plain]),
        "simulated": Column("flag", [each.simulated for each in plain]),
        "control": Column("text", [gain.control for gain, _ in found]),
        "metric": Column("text", [each.metric for _, each in found]),
        "place": Column("text", [each.group.value or None for _, each in found]),
        "with_place": Column("number", [each.b for _, each in found]),
        "under_control": Column("number", [each.a for _, each in found]),
        "gain": Column("number", [each.difference for _, each in found]),
    }
    columns |= {
        name: Column("number", [getattr(each, name) for _, each in found])
        for name in ("low", "high", "p", "p_adjusted", "minimum_detectable")
    }
    columns["units"] = Column("integer", [each.units for _, each in found])
    columns["why"] = Column("text", [format_missing(each.missing) or None for _, each in found])
    return Frame(name="gains", columns=columns)
