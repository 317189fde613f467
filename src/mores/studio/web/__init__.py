"""Pages: who may see which, how they are laid out, and what every answer carries."""
