"""Arrays in, estimates out: numpy and scipy, no files, no models. Methods are imported from the module that has them.

- **Means and their intervals**: `intervals`, `many_means`, `weighed`, `jointly`, `pooled`; `clusters` and
  `cluster_sums` beneath them.
- **Comparisons**: `paired`, `ranks`, `sign_flips`, `multiplicity`, `non_inferiority`, `gaps`, `unequal`, `rankings`,
  `consensus`, `facets`, `f1_change`; `plan` says how many units one needs.
- **Raters**: `confusion`, `krippendorff`, `agreement`, `alternative`, `correlation`, `panel`, `repeats`,
  `similarity`.
- **A judge's mean put right by people's labels**: `labelled`, `checked_labels`, `corrected`, `prevalence`,
  `judge_errors`, `judged_scores`, `judged_contrast`.
- **Probabilities and single decisions**: `calibration_error`, `recalibration`, `selective`, `conformal`.
- **Scores of norms, items and models**: `norm_scores`, `sensitivity`, `classification`, `decomposition`, `items`,
  `reliability`, `covariate`, `crossed`, `explanations`.

`arrays` has the kinds of arrays and the checks at the door, `rng` the generators from named seeds.
"""
