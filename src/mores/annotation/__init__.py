"""Labels of people for a run: work lists for them, their labels, and both beside the votes of judges."""
