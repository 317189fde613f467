"""Labels with their reasons: what rubrics say, who is right for the wrong reason, and thin forms against thick ones."""

from mores.reports.thick.section import Thick, thick

__all__ = ["Thick", "thick"]
