"""Calls put into files for a provider's batches, and the files of answers taken back."""
