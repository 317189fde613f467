"""What a run could show and would cost, before it is made."""

from mores.reports.planning.plan import Need, Part, Plan, Wanted, plan_of
from mores.reports.planning.rungs import LadderPlan, plan_of_ladder

__all__ = ["LadderPlan", "Need", "Part", "Plan", "Wanted", "plan_of", "plan_of_ladder"]
