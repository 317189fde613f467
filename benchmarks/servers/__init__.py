"""Real model servers, each in an environment of its own: what they take of every kind of play, and how fast."""
