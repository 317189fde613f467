"""Arrays in, estimates out: numpy and scipy, no files, no models. A method is imported when it is first asked for."""

from importlib import import_module

_METHODS = {
    "agreement": ("Ceiling", "human_ceiling", "rater_agreement"),
    "alternative": ("AltTest", "alt_test"),
    "cluster_sums": ("Design", "Measured"),
    "conformal.calibration": ("calibrate", "calibrate_groups", "control_risk"),
    "conformal.certificates": ("Calibrated", "CalibrationPlan", "Controlled", "Uncalibratable"),
    "conformal.draws": ("Draws", "Labelled", "Thresholds", "one_each", "standing"),
    "conformal.figures": ("SetFigures", "loss_by_group", "set_figures"),
    "conformal.quality": ("constant_quality", "prefix_consistency", "verbalised"),
    "conformal.replay": ("judge_sets",),
    "conformal.risk_tests": ("most_losses", "units_for"),
    "conformal.sequences": ("stop_levels",),
    "confusion": ("ClassAgreement", "PairAgreement", "pair_agreement"),
    "corrected": ("prediction_powered",),
    "correlation": ("pearson_correlation", "spearman_correlation"),
    "explanations": ("LengthBias", "length_bias"),
    "intervals": ("Interval", "mean_interval"),
    "krippendorff": ("krippendorff_alpha",),
    "checked_labels": ("label_checks",),
    "labelled": ("JudgedUnits", "LabelledUnits"),
    "multiplicity": ("benjamini_hochberg", "holm"),
    "paired": ("Paired", "compare_paired"),
    "panel": ("Panel", "PanelVote", "mean_weight", "panel_worth", "vote_weight"),
    "ranks": ("RankTest", "kruskal_wallis", "signed_rank"),
    "repeats": ("Repeats", "repeat_stability"),
    "rng": ("generator",),
    "prevalence": ("RoganGladen", "rogan_gladen"),
    "selective": ("Majority", "Trusted", "Untrusted", "certify_confidence", "confidence_levels", "majority"),
    "similarity": ("similarities",),
    "weighed": ("weighed_gap", "weighed_mean"),
}
"""The module of each method and of what it gives; none is called as a method is, or it would stand in its place."""
_MODULE_OF = {name: f"{__name__}.{module}" for module, names in _METHODS.items() for name in names}
__all__ = sorted(_MODULE_OF)  # noqa: PLE0605 - the stub beside has the same names one by one


def __getattr__(name: str) -> object:
    if name in _MODULE_OF:
        return getattr(import_module(_MODULE_OF[name]), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
