"""Review: three people say of a norm and a course of action whether the one keeps to the other."""
