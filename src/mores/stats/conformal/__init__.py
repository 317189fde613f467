"""Conformal language modelling of a judge: how many draws until the right judgement is among those kept.

draws + labels ─▶ replay under thresholds ─▶ tests of the risk ─▶ thresholds with a certificate, or the honest answer
that there are none.

Items (or their clusters) must be drawn alike and independently at calibration and at use: that is the one assumption.
Nothing is assumed of the judge, of its quality scores or of likeness, which cost draws where they are poor, never the
promise. The promise is about the kept set over all items, not about any one decision, place or norm.

Source:
    Quach, Fisch, Schuster, Yala, Sohn, Jaakkola and Barzilay (2024), Conformal language modeling, ICLR.
"""

from mores.stats.conformal.calibration import calibrate, calibrate_groups, control_risk
from mores.stats.conformal.certificates import RISKS, Calibrated, CalibrationPlan, Cause, Controlled, Uncalibratable
from mores.stats.conformal.draws import Draws, Labelled, Thresholds, one_each, standing
from mores.stats.conformal.figures import SetFigures, curve_area, loss_by_group, set_figures, worst_loss
from mores.stats.conformal.quality import (
    constant_quality,
    decision_token,
    gnmt,
    log_gnmt,
    mean_likelihood,
    prefix_consistency,
    verbalised,
)
from mores.stats.conformal.replay import JudgedSets, SetScore, judge_sets
from mores.stats.conformal.risk_tests import (
    Tested,
    binomial_p,
    hoeffding_bentkus_p,
    learn_then_test,
    most_losses,
    smallest_risk,
    units_for,
)
from mores.stats.conformal.sequences import stop_levels

__all__ = [
    "RISKS",
    "Calibrated",
    "CalibrationPlan",
    "Cause",
    "Controlled",
    "Draws",
    "JudgedSets",
    "Labelled",
    "SetFigures",
    "SetScore",
    "Tested",
    "Thresholds",
    "Uncalibratable",
    "binomial_p",
    "calibrate",
    "calibrate_groups",
    "constant_quality",
    "control_risk",
    "curve_area",
    "decision_token",
    "gnmt",
    "hoeffding_bentkus_p",
    "judge_sets",
    "learn_then_test",
    "log_gnmt",
    "loss_by_group",
    "mean_likelihood",
    "most_losses",
    "one_each",
    "prefix_consistency",
    "set_figures",
    "smallest_risk",
    "standing",
    "stop_levels",
    "units_for",
    "verbalised",
    "worst_loss",
]
