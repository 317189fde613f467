"""What templates can ask of values."""
