"""What is done once items have all their answers: the flow finds the outcome, and what is kept goes on."""

from mores.studio.flows.registry import flow_named
from mores.studio.models import Item, Project
from mores.studio.work.audit import record
from mores.studio.work.items import NewItem, add_items
from mores.studio.work.records import read_item
from mores.studio.work.transactions import writing


def settle(item: int) -> None:
    """Close an item that has all its answers; nothing where it has not, or is closed. Safe to call again."""
    with writing() as now:
        found = Item.objects.select_for_update().get(pk=item)
        if found.state != Item.State.OPEN or found.done < found.quota:
            return
        project = found.project
        outcome = flow_named(project.flow).outcome(project, read_item(found))
        found.state = Item.State.COMPLETE if outcome.kept else Item.State.DROPPED
        found.outcome = dict(outcome.result)
        found.save(update_fields=["state", "outcome"])
        if outcome.kept and outcome.forward is not None and project.feeds is not None:
            going = NewItem(
                key=f"{project.slug}-{found.key}"[:120],
                payload=outcome.forward,
                region=found.region,
                author=found.author_id,
            )
            add_items(project.feeds, [going], who=None, state=flow_named(project.feeds.flow).begins)
        record(project.pk, "settle", {"item": found.key, "state": found.state}, who=None, at=now)


def settle_all(project: Project) -> None:
    """Close what a crash left open between its last answer and its outcome."""
    ready = [
        item.pk
        for item in Item.objects.filter(project=project, state=Item.State.OPEN, done__gt=0)
        if item.done >= item.quota
    ]
    for item in ready:
        settle(item)
