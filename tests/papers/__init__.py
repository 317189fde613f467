"""Pages of the papers, table by table: what they show is what their commands print."""
