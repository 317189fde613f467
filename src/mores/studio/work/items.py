"""Items coming in and growing versions."""

import hashlib
from collections.abc import Mapping, Sequence

import msgspec

from mores.core.codec import digest
from mores.studio.models import ItemImport, ItemKey, ItemKind, ItemState, ItemVersion, Project, WorkItem
from mores.studio.work.assign import PRIME
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing

KeyFacts = Mapping[str, object]
CLUSTER, EXPECTED, FEEDBACK = "cluster", "expected", "feedback"
EVERYBODY = (1 << 31) - 1
"""Quota of what everybody answers, which is never complete: training and attention checks."""


class NewItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item before it is stored: its id, the place it is about ("" for any) and what is shown, as JSON values."""

    key: str
    payload: Mapping[str, object]
    region: str = ""
    author: int | None = None
    kind: ItemKind = ItemKind.WORK
    help: str = ""
    key_facts: Mapping[str, object] | None = None
    """What it is and should be; kept where nobody who answers sees it."""


class ImportCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of items that were new, and that were there already with the same text."""

    new: int
    known: int


class KeyTaken(Exception):
    """An item of this key is there with other words."""


def add_items(
    project: Project, items: Sequence[NewItem], *, who: int | None, state: ItemState = ItemState.OPEN, file: str = ""
) -> ImportCounts:
    """Store items of a project, all or none; those that are there already with the same words are passed over.

    What comes out of a `file` can be taken back together.

    Raises:
        KeyTaken: an item of the same key has other words.
    """
    with writing() as now:
        new = [item for item in items if not _known(project, item)]
        came_in = ItemImport.objects.create(project=project, name=file[:200], by_id=who) if file and new else None
        for item in new:
            _store(project, item, state, came_in)
        about = {"new": len(new), "known": len(items) - len(new)}
        record(project.pk, "import", about, who=who, at=now)
    return ImportCounts(new=len(new), known=len(items) - len(new))


def _known(project: Project, item: NewItem) -> bool:
    in_use = ItemVersion.objects.filter(item__project=project, item__key=item.key).exclude(
        item__state=ItemState.RETIRED
    )
    before = in_use.order_by("-version").first()
    if before is not None and before.sha256 != sha256(item.payload):
        raise KeyTaken(item.key)
    if before is not None and item.key_facts is not None:
        ItemKey.objects.get_or_create(item_id=before.item_id, defaults={"facts": dict(item.key_facts)})
    return before is not None


def _store(project: Project, new: NewItem, state: ItemState, came_in: ItemImport | None) -> None:
    shuffle = int(hashlib.sha256(f"{project.slug} {new.key}".encode()).hexdigest(), 16) % PRIME
    item = WorkItem.objects.create(
        project=project, key=new.key, kind=new.kind, region=new.region, author_id=new.author, state=state,
        quota=project.quota if new.kind == ItemKind.WORK else EVERYBODY, shuffle=shuffle, came_in=came_in,
    )  # fmt: skip
    ItemVersion.objects.create(
        item=item, version=1, payload=dict(new.payload), sha256=sha256(new.payload), by_id=new.author, help=new.help
    )
    if new.key_facts is not None:
        ItemKey.objects.create(item=item, facts=dict(new.key_facts))


def rewrite(item: int, payload: Mapping[str, object], *, who: int, state: ItemState) -> bool:
    """Give an item in a state other words, as its next version, and let it wait; False where it is in another state."""
    with writing() as now:
        found = WorkItem.objects.select_for_update().get(pk=item)
        last = ItemVersion.objects.get(item=found, version=found.version)
        if found.state != state:
            return False
        version = found.version + (last.sha256 != sha256(payload))
        if version > found.version:
            ItemVersion.objects.create(
                item=found, version=version, payload=dict(payload), sha256=sha256(payload), by_id=who, help=last.help
            )
        WorkItem.objects.filter(pk=item).update(version=version, state=ItemState.WAITING)
        record(found.project_id, "rewrite", {"item": found.key, "version": version}, who=who, at=now)
        return True


def sha256(payload: Mapping[str, object]) -> str:
    """Hash of what is shown, in canonical JSON."""
    return digest(dict(payload), length=64)


LONGEST_KEY = 120


def key_within(key: str) -> str:
    """A key that is made of others, as long as a key may be; of two that are longer each has its own."""
    if len(key) <= LONGEST_KEY:
        return key
    # The end stays as it is: there stands what group an item is put to.
    return f"{hashlib.sha256(key.encode()).hexdigest()[:16]}-{key[17 - LONGEST_KEY :]}"


def read_key_facts(project: Project) -> dict[str, KeyFacts]:
    """The sealed facts of a project's items, by the item's key: for exports and figures, never a page of work."""
    in_use = ItemKey.objects.filter(item__project=project).exclude(item__state=ItemState.RETIRED)
    return dict(in_use.values_list("item__key", "facts"))


def key_facts_of(item: int) -> KeyFacts:
    """The sealed facts of one item, none where nothing is sealed."""
    found = ItemKey.objects.filter(item=item).first()
    return {} if found is None else found.facts
