"""A project's data as files, read at one instant, with a manifest of what they are."""

import hashlib

from mores.core.codec import encode
from mores.studio.flows.card import dataset_card
from mores.studio.flows.closing import close_all
from mores.studio.flows.datasheet import FILE, datasheet
from mores.studio.flows.registry import flow_named
from mores.studio.models import Event, Project
from mores.studio.work.audit import broken_at
from mores.studio.work.records import read_items

CARD = "README.md"


def export_files(project: Project, name: str) -> dict[str, bytes]:
    """The files of one export by name; `README.md` is its card, `datasheet.json` its datasheet.

    `manifest.json` has the hash of each file, how many events the project's audit trail has, the hash of the last, and
    the number of the first that is not as it was written, null where all are.
    """
    close_all(project)
    items = read_items(project)
    files = flow_named(project.flow).exports[name].write(project, items)
    files[FILE] = datasheet(project, items, files.get(FILE, b"{}"))
    files[CARD] = dataset_card(project, name, files)
    last = Event.objects.filter(chain=project.pk).order_by("-number").first()
    manifest = {
        "project": project.slug,
        "flow": project.flow,
        "export": name,
        "files": {file: hashlib.sha256(content).hexdigest() for file, content in sorted(files.items())},
        "events": 0 if last is None else last.number,
        "audit_sha256": "" if last is None else last.sha256,
        "audit_broken_at": broken_at(project.pk),
    }
    return files | {"manifest.json": encode(manifest) + b"\n"}
