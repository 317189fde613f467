"""Arrays in, estimates out: numpy and scipy, no files, no models. Methods are imported from the module that has them.

- **Means and their intervals**: `intervals`, `group_means` (many at once), `weighted_means`, `partial_pooling`;
  `clusters` and `cluster_sums` beneath them.
- **Comparisons**: `paired`, `ranks` (tests without a distribution, and adjusted p-values), `gaps`, `rankings`;
  `power` says how many units one needs.
- **Raters**: `agreement`, `confusion`, `alt_test`, `correlation`, `panel`.
- **A judge's mean corrected by people's labels**: `labelled_units`, `prediction_powered`, `rogan_gladen`;
  `judged_scores` where its errors are known or lie in a range.
- **Probabilities and single decisions**: `recalibration`, `selective`, `conformal`.
- **Scores of norms, items and models**: `norm_scores`, `classification`, `decomposition`, `items`, `reliability`,
  `covariate`, `crossed_effects`, `explanations`.

`checks` has the kinds of arrays and the checks at the door, `rng` the generators from named seeds.
"""
