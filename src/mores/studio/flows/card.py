"""The card of an export, `README.md`: what the files are, as the Hugging Face hub reads data sets."""

import json
from collections.abc import Mapping

from mores.studio.flows.funnel import funnel
from mores.studio.models import Project

ENDING = ".jsonl"


def dataset_card(project: Project, export: str, files: Mapping[str, bytes]) -> bytes:
    """The card: each table of JSON Lines that has rows is a configuration, the others are named in the text."""
    tables = [name for name, content in sorted(files.items()) if name.endswith(ENDING) and content]
    front = [
        f"pretty_name: {json.dumps(project.name, ensure_ascii=False)}",
        "language:",
        f"- {json.dumps(project.language)}",
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
        "What people answered is what they say of the place they speak for, and of no person.",
    ]
    return "\n".join(["---", *front, "---", "", *told, ""]).encode()
