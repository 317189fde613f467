"""The command line: names and shapes of its verbs are a contract."""
