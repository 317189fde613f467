"""Scenario review: people answer questions about scenarios, the sheet's or the project's own."""
