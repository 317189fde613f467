"""The card of an export, `README.md`: what the files are, as the Hugging Face hub reads data sets."""

import json
from collections.abc import Mapping

from mores.studio.flows.funnel import funnel
from mores.studio.models import Project

ENDING = ".jsonl"
HUB = (
    "cc0-1.0", "cc-by-4.0", "cc-by-sa-4.0", "cc-by-nc-4.0", "cc-by-nd-4.0", "cc-by-nc-sa-4.0", "cc-by-nc-nd-4.0",
    "odc-by", "odbl", "pddl", "mit", "apache-2.0",
)  # fmt: skip
"""Licences of data that the hub knows by name."""


def dataset_card(project: Project, export: str, files: Mapping[str, bytes]) -> bytes:
    """The card: each table of JSON Lines that has rows is a configuration, the others are named in the text."""
    tables = [name for name, content in sorted(files.items()) if name.endswith(ENDING) and content]
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
    steps = funnel(project)
    told = [
        f"# {project.name}",
        "",
        f"Export `{export}` of a project in the mores studio (flow `{project.flow}`), as it stood at one instant.",
        "`manifest.json` has the hash of every file and of the audit trail.",
        "",
        "| step | items |",
        "| --- | ---: |",
        *(f"| {name} | {getattr(steps, name)} |" for name in ("written", "curated", "accepted", "answered", "kept")),
        "",
        "Dropped: " + (", ".join(f"{reason} {count}" for reason, count in steps.dropped.items()) or "none") + ".",
        "",
        f"Licence: {project.licence or 'not stated'}.",
        "",
        "What people answered is what they say of the place they speak for, and of no person.",
    ]
    return "\n".join(["---", *front, "---", "", *told, ""]).encode()


def _licence(named: str) -> list[str]:
    """The licence as the hub reads it; one that it does not know is named in words, and none is said of no licence."""
    known = named.strip().lower().replace(" ", "-")
    if known in HUB:
        return [f"license: {known}"]
    return ["license: other", f"license_name: {json.dumps(named, ensure_ascii=False)}"] if named else []
