"""Judges of free text: rubrics, strict reading, juries, and how easily a judge is talked into a grade."""
