"""Arrays in, estimates out: numpy and scipy, no files, no models."""

from mores.stats.classification import F1, f1_interval, f1_scores
from mores.stats.clusters import DesignEffect, design_effect
from mores.stats.consensus import Consensus, average_ranks, rank_correlations, region_consensus
from mores.stats.decomposition import (
    KnowledgeRow,
    KnowledgeTable,
    Possession,
    Regimes,
    Split,
    knowledge_table,
    norms_possessed,
    split_difference,
)
from mores.stats.dice import generator
from mores.stats.explanations import LengthBias, Reasons, length_bias, quartile_range, reasons, spread_reduced
from mores.stats.gaps import Gap, region_gap
from mores.stats.intervals import Interval, mean_interval, stratified_mean, stratified_wilson, wilson
from mores.stats.multiplicity import benjamini_hochberg, benjamini_yekutieli, holm
from mores.stats.norm_scores import (
    NormRule,
    NormScore,
    NormSlots,
    RegionScores,
    norm_interval,
    norm_score,
    norm_slots,
    norm_weights,
    region_scores,
    score_from_means,
)
from mores.stats.paired import Paired, compare_paired, mcnemar_exact, minimum_detectable_effect
from mores.stats.ranks import RankTest, kruskal_wallis, signed_rank
from mores.stats.sensitivity import GRID, Agreement, Sensitivity, norm_sensitivity, rankings_agree
from mores.stats.trials import TrialScores, medium_outcomes, region_trials, trial_scores

__all__ = [
    "F1",
    "GRID",
    "Agreement",
    "Consensus",
    "DesignEffect",
    "Gap",
    "Interval",
    "KnowledgeRow",
    "KnowledgeTable",
    "LengthBias",
    "NormRule",
    "NormScore",
    "NormSlots",
    "Paired",
    "Possession",
    "RankTest",
    "Reasons",
    "Regimes",
    "RegionScores",
    "Sensitivity",
    "Split",
    "TrialScores",
    "average_ranks",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "compare_paired",
    "design_effect",
    "f1_interval",
    "f1_scores",
    "generator",
    "holm",
    "knowledge_table",
    "kruskal_wallis",
    "length_bias",
    "mcnemar_exact",
    "mean_interval",
    "medium_outcomes",
    "minimum_detectable_effect",
    "norm_interval",
    "norm_score",
    "norm_sensitivity",
    "norm_slots",
    "norm_weights",
    "norms_possessed",
    "quartile_range",
    "rank_correlations",
    "rankings_agree",
    "reasons",
    "region_consensus",
    "region_gap",
    "region_scores",
    "region_trials",
    "score_from_means",
    "signed_rank",
    "split_difference",
    "spread_reduced",
    "stratified_mean",
    "stratified_wilson",
    "trial_scores",
    "wilson",
]
