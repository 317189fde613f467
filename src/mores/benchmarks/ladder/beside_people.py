"""People beside models on the rungs that people were asked too."""

from mores.analysis.results import Results
from mores.benchmarks.shapes.people_tables import beside_people, people_table
from mores.tables import Analysis, AnalysisResult

RIGHT: dict[str, str | None] = {"ladder/know": None, "ladder/judge": None, "ladder/explain": "label_accuracy"}
"""The metric of a model that stands beside people's; None for the headline."""
TABLE = people_table("ladder_people")


def analyse(results: Results) -> AnalysisResult | None:
    """Models beside people on each rung on which people were asked; None where there is none."""
    return beside_people(TABLE, ((results.on(name), right) for name, right in RIGHT.items()))


PEOPLE_ANALYSIS = Analysis(
    id=TABLE.id, title="People on the ladder", tables=(TABLE,), analyse=analyse, order=-9
)  # fmt: skip
