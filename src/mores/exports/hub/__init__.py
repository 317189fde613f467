"""Results for the Hugging Face hub: what stands in a dataset of results beside its tables, and in models' folders."""
