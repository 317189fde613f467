"""BLEnD and its successor at SemEval: everyday questions of many places, in people's own languages and in English."""
