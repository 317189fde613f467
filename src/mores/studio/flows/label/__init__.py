"""Label judges: people judge what judges judged, and are shown neither the model nor a verdict nor a split."""
