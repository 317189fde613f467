"""A town and the people in it: streets, residents with their households and ties, and how they are sampled."""
