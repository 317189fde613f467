"""Programs that each put the same items to the endpoint; they know nothing of us and run in their own environments."""
