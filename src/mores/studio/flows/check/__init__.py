"""Check: five people of a place say which of a question's options hold there."""
