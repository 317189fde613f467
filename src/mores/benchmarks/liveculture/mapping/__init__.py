"""From norms of places to the kinds of location at which they may come up: a stage of its own, open to inspection."""
