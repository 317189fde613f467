"""Can the judge be believed? Judges held against people: agreement, certificates, corrected scores."""
