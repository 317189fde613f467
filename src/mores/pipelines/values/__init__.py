"""Values: what nearly all asked people of a country answered alike, out of a survey of values."""
