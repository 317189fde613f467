"""What happens to work: claimed, saved, answered, skipped, taken back. No HTTP here."""
