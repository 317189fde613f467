"""Scenarios of subgroups, as in SpecNorm: from statements that mark people out to personas and yes/no questions."""
