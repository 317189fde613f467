"""What kinds of play there are; families import shapes, never each other."""
