"""Keys that items have as they go on: to another project, and to a finer group of people."""

from mores.studio.models import Project
from mores.studio.work.items import key_within

SIGN = "~"
"""Between the key of a question and the group that it is put to."""


def key_onward(project: Project, key: str) -> str:
    """Key of an item in the project that its own one feeds."""
    return key_within(f"{project.slug}-{key}")


def key_for_group(key: str, group: str) -> str:
    """Key of a question that is put to a group."""
    return key_within(f"{key}{SIGN}{group}")


def key_before(key: str) -> str:
    """Key of a question as it was before it was put to a group.

    >>> key_before("q1~JP-13"), key_before("q1")
    ('q1', 'q1')
    """
    return key.partition(SIGN)[0]
