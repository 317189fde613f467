"""People who come from Prolific: their links, how their submissions end, and what Prolific tells of them."""
