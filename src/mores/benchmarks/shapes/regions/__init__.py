"""Models over regions: how far these lie apart, which stand at the ends, and whether models agree on them."""
