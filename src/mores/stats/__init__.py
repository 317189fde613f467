"""Arrays in, estimates out: numpy and scipy, no files, no models."""

from mores.stats.agreement import Ceiling, human_ceiling, rater_agreement
from mores.stats.alt_test import AltTest, Rival, alt_test
from mores.stats.cluster_sums import Design, Measured
from mores.stats.conformal.calibration import calibrate, calibrate_groups, control_risk
from mores.stats.conformal.certificates import Calibrated, CalibrationPlan, Controlled, Uncalibratable
from mores.stats.conformal.draws import Draws, Labelled, Thresholds, one_each, standing
from mores.stats.conformal.figures import SetFigures, loss_by_group, set_figures
from mores.stats.conformal.quality import constant_quality, prefix_consistency, verbalised
from mores.stats.conformal.replay import judge_sets
from mores.stats.conformal.risk_tests import most_losses, units_for
from mores.stats.conformal.sequences import stop_levels
from mores.stats.confusion import ClassAgreement, PairAgreement, pair_agreement
from mores.stats.corrected import prediction_powered
from mores.stats.correlation import pearson_correlation, spearman_correlation
from mores.stats.explanations import LengthBias, length_bias
from mores.stats.intervals import Interval, mean_interval
from mores.stats.krippendorff import krippendorff_alpha
from mores.stats.label_checks import label_checks
from mores.stats.labelled import JudgedUnits, LabelledUnits
from mores.stats.multiplicity import benjamini_hochberg, holm
from mores.stats.paired import Paired, compare_paired
from mores.stats.panel import Panel, PanelVote, mean_weight, panel_worth, vote_weight
from mores.stats.ranks import RankTest, kruskal_wallis, signed_rank
from mores.stats.repeats import Repeats, repeat_stability
from mores.stats.rng import generator
from mores.stats.rogan_gladen import RoganGladen, rogan_gladen
from mores.stats.selective import Majority, Trusted, Untrusted, certify_confidence, confidence_levels, majority
from mores.stats.similarity import similarities
from mores.stats.weighed import weighed_gap, weighed_mean

__all__ = [
    "AltTest",
    "Calibrated",
    "CalibrationPlan",
    "Ceiling",
    "ClassAgreement",
    "Controlled",
    "Design",
    "Draws",
    "Interval",
    "JudgedUnits",
    "Labelled",
    "LabelledUnits",
    "LengthBias",
    "Majority",
    "Measured",
    "PairAgreement",
    "Paired",
    "Panel",
    "PanelVote",
    "RankTest",
    "Repeats",
    "Rival",
    "RoganGladen",
    "SetFigures",
    "Thresholds",
    "Trusted",
    "Uncalibratable",
    "Untrusted",
    "alt_test",
    "benjamini_hochberg",
    "calibrate",
    "calibrate_groups",
    "certify_confidence",
    "compare_paired",
    "confidence_levels",
    "constant_quality",
    "control_risk",
    "generator",
    "holm",
    "human_ceiling",
    "judge_sets",
    "krippendorff_alpha",
    "kruskal_wallis",
    "label_checks",
    "length_bias",
    "loss_by_group",
    "majority",
    "mean_interval",
    "mean_weight",
    "most_losses",
    "one_each",
    "pair_agreement",
    "panel_worth",
    "pearson_correlation",
    "prediction_powered",
    "prefix_consistency",
    "rater_agreement",
    "repeat_stability",
    "rogan_gladen",
    "set_figures",
    "signed_rank",
    "similarities",
    "spearman_correlation",
    "standing",
    "stop_levels",
    "units_for",
    "verbalised",
    "vote_weight",
    "weighed_gap",
    "weighed_mean",
]
