"""Life of an item's work: claimed, saved, answered, skipped, taken back. No HTTP here."""
