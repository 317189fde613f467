"""Scenarios in SocialCC's form: a custom of one place, a value of another, and a talk in which both come up."""
