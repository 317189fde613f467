"""Doors for programs: `notebook` has the functions of a notebook, `conductor` the way of a run that all share."""
