"""Training verifiers: pairs of a response and a norm, their split, the training, and how good the outcome is."""
