"""The instrument's own certificate: truths are planted, and every promise of a figure is put to the test.

`promises` has the nouns and the rule by which an experiment ends, `runner` lists the experiments and carries them out.
One module a family: `shares` and `unequal_clusters` (with `simulated_scores`), `figures`, `agreement`, `corrections`,
`certificates`, `hypotheses`, `ladder`, `planning`, `runs`.
"""
