"""The instrument's own certificate: truths are planted, and every promise of a figure is put to the test.

`registry` lists the experiments, each with the promises it tests; `conduct` carries them out. One module a family:
`shares` (with `persons`), `figures`, `agreement`, `corrections`, `certificates` (with `judges`), `hypotheses`,
`ladder`, `planning`, `runs`.
"""
