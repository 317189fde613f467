"""Gates: whether questions can be answered without knowing what they ask, and what else would spoil a data set."""
