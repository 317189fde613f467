"""Days in a town as a kind of play: one resident's day is lived by the subject and watched by a verifier."""
