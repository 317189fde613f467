"""A project's data as files, read at one instant, with a manifest of what they are."""

import hashlib
import json
from collections.abc import Mapping

from mores.core.codec import encode, encode_lines
from mores.studio.flows.closing import close_all
from mores.studio.flows.datasheet import FILE, datasheet
from mores.studio.flows.flow import flow_named
from mores.studio.flows.funnel import Stage, funnel
from mores.studio.flows.other_tools import exports_of
from mores.studio.flows.readable import built
from mores.studio.models import AuditEvent, ItemState, Project
from mores.studio.work.audit import broken_at
from mores.studio.work.records import ItemRecord, read_all_items

ENDING = ".jsonl"
HUB = (
    "cc0-1.0", "cc-by-4.0", "cc-by-sa-4.0", "cc-by-nc-4.0", "cc-by-nd-4.0", "cc-by-nc-sa-4.0", "cc-by-nc-nd-4.0",
    "odc-by", "odbl", "pddl", "mit", "apache-2.0",
)  # fmt: skip
"""Licences of data that the hub knows by name."""


def dataset_card(project: Project, export: str, files: Mapping[str, bytes]) -> bytes:
    """The card: each table of JSON Lines that has rows is a configuration, the others are named in the text."""
    tables = [name for name, content in sorted(files.items()) if name.endswith(ENDING) and content]
    # Strings are written as JSON, which YAML reads too, so that a colon or a dash in a name is no syntax.
    front = [
        f"pretty_name: {json.dumps(project.name, ensure_ascii=False)}",
        "language:",
        f"- {json.dumps(project.language)}",
        *_licence(project.licence),
    ]
    if tables:
        front.append("configs:")
    for name in tables:
        front += [f"- config_name: {json.dumps(name.removesuffix(ENDING))}", f"  data_files: {json.dumps(name)}"]
    body = [
        f"# {project.name}",
        "",
        f"Export `{export}` of a project in the mores studio (flow `{project.flow}`), as it stood at one instant.",
        "`manifest.json` has the hash of every file and of the audit trail.",
        "",
        "| project | came in | of these imported | waiting | open | kept | dropped |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
        *map(_row, funnel(project)),
        "",
        f"Licence: {project.licence or 'not stated'}.",
        "",
        "What people answered is what they say of the place they speak for, and of no person.",
    ]
    return "\n".join(["---", *front, "---", "", *body, ""]).encode()


def _row(stage: Stage) -> str:
    lost = ", ".join(f"{reason} {count}" for reason, count in stage.dropped.items()) or "0"
    name = stage.name.replace("|", "\\|")
    counts = (stage.came, stage.imported, stage.waiting, stage.open, stage.kept)
    return f"| {name} | {' | '.join(map(str, counts))} | {lost} |"


def _licence(named: str) -> list[str]:
    """The licence as the hub reads it; one that it does not know is named in words, and none is said of no licence."""
    known = named.strip().lower().replace(" ", "-")
    if known in HUB:
        return [f"license: {known}"]
    return ["license: other", f"license_name: {json.dumps(named, ensure_ascii=False)}"] if named else []


CARD, RETIRED, UNREADABLE_FILE = "README.md", "retired.jsonl", "unreadable.jsonl"


def export_files(project: Project, name: str) -> dict[str, bytes]:
    """The files of one export by name; `README.md` is its card, `datasheet.json` its datasheet.

    Items that were retired are in no other file than `retired.jsonl`, which is there where there are some.
    `manifest.json` has the hash of each file, how many events the project's audit trail has, the hash of the last, and
    the number of the first that is not as it was written, null where all are. Items that the flow cannot read stand in
    `unreadable.jsonl` as they are, with their answers, and in no other file.
    """
    # What a crash left open between its last answer and its outcome would be missing.
    close_all(project)
    flow, every = flow_named(project.flow), read_all_items(project)
    items = tuple(item for item in every if item.state != ItemState.RETIRED)

    def write(some: tuple[ItemRecord, ...]) -> dict[str, bytes]:
        files = exports_of(flow)[name].write(project, some)
        sheet = datasheet(project, some, files.get(FILE, b"{}"), unreadable=len(items) - len(some))
        return files | {FILE: sheet}

    files, unreadable = built(flow, project, items, write)
    if len(items) < len(every):
        files[RETIRED] = encode_lines([item for item in every if item.state == ItemState.RETIRED])
    files[CARD] = dataset_card(project, name, files)
    if unreadable:
        files[UNREADABLE_FILE] = encode_lines(unreadable)
    last = AuditEvent.objects.filter(chain=project.pk).order_by("-number").first()
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
