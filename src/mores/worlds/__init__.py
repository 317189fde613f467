"""Where minds meet: deterministic worlds over a log of events. They emit events and never grade."""
