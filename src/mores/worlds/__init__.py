"""Deterministic worlds over a log of events, in which agents meet. They emit events and never grade."""
