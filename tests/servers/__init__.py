"""Real model servers over a model of random weights: what they say is babble, what they take and refuse is real."""
