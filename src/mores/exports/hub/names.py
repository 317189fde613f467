"""Names in which results are published: without the folders of the machine that made them."""

import re

from mores.analysis.results import RECORDED, Result

_FOLDERS = re.compile(r"(?<![\w:/.])/(?:[^\s;,/]+/)+")
_RECORDED = re.compile(rf"{RECORDED}[^;,]*/")


def without_folders(text: str) -> str:
    """Text in which files stand by their names alone; addresses and names of models stay.

    >>> without_folders("recorded//disk/me/a.csv, vllm/org/model; file /disk/me/b.csv of https://host/x/y")
    'recorded/a.csv, vllm/org/model; file b.csv of https://host/x/y'
    """
    return _FOLDERS.sub("", _RECORDED.sub(RECORDED, text))


def public_name(result: Result) -> str:
    """Name of a result's model, with that of its run where several runs have the model."""
    run = f" in {result.run.resolve().name}" if result.label != result.model else ""
    return without_folders(result.model) + run
