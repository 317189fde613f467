from mores.stats.agreement import Ceiling as Ceiling
from mores.stats.agreement import human_ceiling as human_ceiling
from mores.stats.agreement import rater_agreement as rater_agreement
from mores.stats.alternative import AltTest as AltTest
from mores.stats.alternative import alt_test as alt_test
from mores.stats.checked_labels import label_checks as label_checks
from mores.stats.cluster_sums import Design as Design
from mores.stats.cluster_sums import Measured as Measured
from mores.stats.conformal.calibration import (
    calibrate as calibrate,
)
from mores.stats.conformal.calibration import (
    calibrate_groups as calibrate_groups,
)
from mores.stats.conformal.calibration import (
    control_risk as control_risk,
)
from mores.stats.conformal.certificates import (
    Calibrated as Calibrated,
)
from mores.stats.conformal.certificates import (
    CalibrationPlan as CalibrationPlan,
)
from mores.stats.conformal.certificates import (
    Controlled as Controlled,
)
from mores.stats.conformal.certificates import (
    Uncalibratable as Uncalibratable,
)
from mores.stats.conformal.draws import (
    Draws as Draws,
)
from mores.stats.conformal.draws import (
    Labelled as Labelled,
)
from mores.stats.conformal.draws import (
    Thresholds as Thresholds,
)
from mores.stats.conformal.draws import (
    one_each as one_each,
)
from mores.stats.conformal.draws import (
    standing as standing,
)
from mores.stats.conformal.figures import (
    SetFigures as SetFigures,
)
from mores.stats.conformal.figures import (
    loss_by_group as loss_by_group,
)
from mores.stats.conformal.figures import (
    set_figures as set_figures,
)
from mores.stats.conformal.quality import (
    constant_quality as constant_quality,
)
from mores.stats.conformal.quality import (
    prefix_consistency as prefix_consistency,
)
from mores.stats.conformal.quality import (
    verbalised as verbalised,
)
from mores.stats.conformal.replay import judge_sets as judge_sets
from mores.stats.conformal.risk_tests import most_losses as most_losses
from mores.stats.conformal.risk_tests import units_for as units_for
from mores.stats.conformal.sequences import stop_levels as stop_levels
from mores.stats.confusion import (
    ClassAgreement as ClassAgreement,
)
from mores.stats.confusion import (
    PairAgreement as PairAgreement,
)
from mores.stats.confusion import (
    pair_agreement as pair_agreement,
)
from mores.stats.corrected import prediction_powered as prediction_powered
from mores.stats.correlation import (
    pearson_correlation as pearson_correlation,
)
from mores.stats.correlation import (
    spearman_correlation as spearman_correlation,
)
from mores.stats.explanations import LengthBias as LengthBias
from mores.stats.explanations import length_bias as length_bias
from mores.stats.intervals import Interval as Interval
from mores.stats.intervals import mean_interval as mean_interval
from mores.stats.krippendorff import krippendorff_alpha as krippendorff_alpha
from mores.stats.labelled import JudgedUnits as JudgedUnits
from mores.stats.labelled import LabelledUnits as LabelledUnits
from mores.stats.multiplicity import benjamini_hochberg as benjamini_hochberg
from mores.stats.multiplicity import holm as holm
from mores.stats.paired import Paired as Paired
from mores.stats.paired import compare_paired as compare_paired
from mores.stats.panel import (
    Panel as Panel,
)
from mores.stats.panel import (
    PanelVote as PanelVote,
)
from mores.stats.panel import (
    mean_weight as mean_weight,
)
from mores.stats.panel import (
    panel_worth as panel_worth,
)
from mores.stats.panel import (
    vote_weight as vote_weight,
)
from mores.stats.prevalence import RoganGladen as RoganGladen
from mores.stats.prevalence import rogan_gladen as rogan_gladen
from mores.stats.ranks import RankTest as RankTest
from mores.stats.ranks import kruskal_wallis as kruskal_wallis
from mores.stats.ranks import signed_rank as signed_rank
from mores.stats.repeats import Repeats as Repeats
from mores.stats.repeats import repeat_stability as repeat_stability
from mores.stats.rng import generator as generator
from mores.stats.selective import (
    Majority as Majority,
)
from mores.stats.selective import (
    Trusted as Trusted,
)
from mores.stats.selective import (
    Untrusted as Untrusted,
)
from mores.stats.selective import (
    certify_confidence as certify_confidence,
)
from mores.stats.selective import (
    confidence_levels as confidence_levels,
)
from mores.stats.selective import (
    majority as majority,
)
from mores.stats.similarity import similarities as similarities
from mores.stats.weighed import weighed_gap as weighed_gap
from mores.stats.weighed import weighed_mean as weighed_mean

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
