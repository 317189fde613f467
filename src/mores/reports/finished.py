"""What a study that is done found, read from its folder, and the page of it."""

from msgspec.structs import replace

from mores.analysis.judges import JudgesKnown
from mores.analysis.results import Results
from mores.reports.page import write_page
from mores.runs.loading import read_results
from mores.runs.study import Study
from mores.runs.watch import quiet_collector

PAGE = "report.html"


def finished(study: Study, judges: JudgesKnown | None = None) -> Results:
    """The results of a study that is done; its page is written where anything new was found."""
    with quiet_collector():
        results = replace(read_results([study.folder], study.scored), judges=judges or JudgesKnown())
        page = study.folder / PAGE
        if study.progress or not page.is_file():
            write_page(results, page, private=True)
        return results
