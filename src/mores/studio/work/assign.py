"""Choice of the next item for somebody: found, and its slot counted, in one statement.

Training comes before all else, an attention check after so many answers as the project says; then an item that most
others have begun, and where there is none of these, one that nobody has. Each person has an order of their own.
"""

from functools import cache
from typing import NamedTuple

from django.db import connection

from mores.studio.work.transactions import SqlValue, locking, sql

PRIME = (1 << 31) - 1
SPREAD = 48271
"""A number whose products modulo the prime follow one another in no order that one sees."""


class AssignmentRequest(NamedTuple):
    """Person who is given an item; `taught` is True if their project has training or attention checks."""

    participant: int
    project: int
    account: int
    region: str
    group: str
    answered: int
    check_every: int
    taught: bool

    @property
    def salt(self) -> int:
        """Number from which a person's own order comes."""
        return self.participant * SPREAD % PRIME


class CountedItem(NamedTuple):
    """An item on which a slot is taken: its number, the version of its words, and its author."""

    item: int
    version: int
    author: int | None


# The conditions are asked again where the slot is counted: the row may have changed since it was found.
_COUNT = """
UPDATE studio_item SET claims = claims + 1 WHERE id = {found} AND state = 'open' AND claims < quota
RETURNING id, version, author_id
"""
_ELIGIBLE = """
SELECT item.id FROM studio_item AS item
WHERE item.project_id = %s AND item.state = 'open' AND item.region IN ('', %s, %s) AND item.claims < item.quota
AND (item.author_id IS NULL OR item.author_id <> %s)
AND NOT EXISTS (
    SELECT 1 FROM studio_assignment AS had
    WHERE had.item_id = item.id AND had.participant_id = %s AND had.status <> 'expired'
)
"""
_TAUGHT = (
    _ELIGIBLE  # noqa: S608 - values are the driver's
    + """
AND item.kind IN ('training', 'attention') AND (item.kind = 'training' OR (
    SELECT SUM(CASE given.kind WHEN 'work' THEN 1 WHEN 'attention' THEN 0 - %s ELSE 0 END) >= %s
    FROM studio_assignment AS gave JOIN studio_item AS given ON given.id = gave.item_id
    WHERE gave.participant_id = %s AND gave.status IN ('done', 'extra', 'excluded')
))
ORDER BY CASE item.kind WHEN 'training' THEN 0 ELSE 1 END, item.claims DESC, (item.shuffle * %s) %% 2147483647 LIMIT 1
"""
)
_BEGUN = (
    _ELIGIBLE
    + """
AND item.kind = 'work' AND item.claims >= 1 ORDER BY item.claims DESC, (item.shuffle * %s) %% 2147483647 LIMIT 1
"""
)
# Of many thousands that nobody has begun the next one after a point is found in an index, without sorting them.
_UNTOUCHED = f"{_ELIGIBLE} AND item.kind = 'work' AND item.claims = 0"
_AFTER = f"{_UNTOUCHED} AND item.shuffle >= %s ORDER BY item.shuffle LIMIT 1"
_BEFORE = f"{_UNTOUCHED} AND item.shuffle < %s ORDER BY item.shuffle LIMIT 1"
_WORK = (_BEGUN, _AFTER, _BEFORE)


def next_item(asker: AssignmentRequest) -> CountedItem | None:
    """The next item that somebody may answer, of which a slot is counted, within a transaction; None for none.

    One whose hold ran out on them is among them. Rows that others are just counting are passed by, so that many people
    claim at once and nobody waits.
    """
    skipping = f"{locking('item')} SKIP LOCKED" if locking("item") else ""
    rows = sql(_COUNT.format(found=_first_of(asker.taught, skipping)), *_values(asker))
    return CountedItem(*rows[0]) if rows else None


def next_item_locked(asker: AssignmentRequest) -> CountedItem | bool:
    """The same where no other row is left than those that others are just counting: it waits for one of these.

    False where there is none, True where somebody else was given the slot that there was, so that one may ask again.
    """
    # On SQLite there are no others.
    found = connection.vendor == "postgresql" and sql(f"SELECT {_first_of(asker.taught)}", *_values(asker))[0][0]
    if not found:
        return False
    rows = sql(_COUNT.format(found="%s"), found)
    return CountedItem(*rows[0]) if rows else True


@cache
def _first_of(taught: bool, locked: str = "") -> str:
    """The most wanted of what may be found; later ones are looked for only where there is none before."""
    kinds = (_TAUGHT, *_WORK) if taught else _WORK
    return f"COALESCE({', '.join(f'({query}{locked})' for query in kinds)})"


def _values(asker: AssignmentRequest) -> tuple[SqlValue, ...]:
    about: tuple[SqlValue, ...] = (asker.project, asker.region, asker.group, asker.account, asker.participant)
    due = asker.check_every, asker.check_every, asker.participant
    point = asker.salt * (asker.answered + 1) % PRIME
    work = (*about, asker.salt, *about, point, *about, point)
    return (*about, *due, asker.salt, *work) if asker.taught else work
