"""The one door to models: requests go in, journalled replies come out."""
