"""Data sets fetched from a stand-in of the hub and of GitHub."""
