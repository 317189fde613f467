"""The kinds of work, a folder each; what a flow must say stands in flow.py."""
