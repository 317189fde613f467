"""mores measures how well a language model lives with other people's norms."""

__version__ = "0.1.0"
