"""Arrays in, estimates out: numpy and scipy, no files, no models."""

from mores.stats.classification import F1, f1_interval, f1_scores
from mores.stats.clusters import DesignEffect, design_effect
from mores.stats.dice import generator
from mores.stats.intervals import Interval, mean_interval, stratified_mean, stratified_wilson, wilson
from mores.stats.multiplicity import benjamini_hochberg, benjamini_yekutieli, holm
from mores.stats.paired import Paired, compare_paired, mcnemar_exact, minimum_detectable_effect

__all__ = [
    "F1",
    "DesignEffect",
    "Interval",
    "Paired",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "compare_paired",
    "design_effect",
    "f1_interval",
    "f1_scores",
    "generator",
    "holm",
    "mcnemar_exact",
    "mean_interval",
    "minimum_detectable_effect",
    "stratified_mean",
    "stratified_wilson",
    "wilson",
]
