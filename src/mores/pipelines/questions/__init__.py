"""Questions in CultureForest's form: three norms of a place, four courses of action, three levels."""
