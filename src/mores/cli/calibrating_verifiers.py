"""`mores judge verifier calibrate`: how sure a trained verifier may be, and how often it errs."""

from mores.analysis.verifiers import bins_of, calibration_blocks, reliability_chart
from mores.cli import screen
from mores.cli.args_labels import VerifierCalibrationArgs
from mores.core.files import write_own
from mores.pipelines.verifier.evaluate import calibrate
from mores.pipelines.verifier.train import read_stored
from mores.reports.charts import RELIABILITY, risk_file
from mores.tables.formatting import plural
from mores.tables.missing_texts import to_plain

PICTURE = "reliability.svg"


def calibrate_verifier(given: VerifierCalibrationArgs) -> None:
    """Calibrate a verifier, put the outcome and its picture into its folder, and say what it comes to.

    Raises:
        InputError: the folder or the pairs cannot be used.
        StorageError: the disk is full, read-only or gone.
    """
    found = calibrate(read_stored(given.folder), given.pairs)
    picture = given.folder / PICTURE
    write_own(picture, risk_file([reliability_chart(found.calibration)], RELIABILITY).encode())
    if given.json:
        screen.print_json({"folder": str(given.folder), "picture": str(picture), "found": to_plain(found)})
        return
    name = f"verifier/{given.folder}"
    screen.heading(name)
    screen.blocks(calibration_blocks(found.calibration, bins_of(name, found.calibration)))
    left = {"that it could not weigh": found.unweighed, "of questions that it learnt from": found.learnt_from}
    for why, count in left.items():
        if count:
            screen.line(f"Left out: {plural(count, 'pair')} {why}.")
    screen.line(
        f"Picture: {picture}. It judges at this temperature from now on, and a ladder takes its sensitivity and "
        f"specificity; mores judge verifier evaluate {given.folder} puts them into its card."
    )
