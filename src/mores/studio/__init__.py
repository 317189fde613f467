"""The studio: a web platform where people write, check and label."""
