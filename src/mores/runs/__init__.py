"""Runs that survive anything: plan, play, store, resume."""
