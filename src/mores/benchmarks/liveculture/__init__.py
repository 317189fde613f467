"""LiveCultureBench: a day in a simulated town, with things to do and people who push."""
