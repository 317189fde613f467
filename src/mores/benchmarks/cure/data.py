"""The four data sets that CURE asks of, row by row: what thin and thick items are both made from.

Each reader takes the released layout and the plain tables that circulate of it. Ids are made here, so that the two
halves can be paired by them.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from mores.benchmarks.data_tables import DataRow, agreed, filled, one_of, read_table
from mores.core.codec import digest
from mores.core.errors import InputError
from mores.core.estimate import SEVERAL
from mores.core.transcript import ItemMetadata
from mores.norms.groups import find_group
from mores.norms.places import find

YES_NO = ("yes", "no")
NAMING_PLACES = frozenset(f"{name}_{half}" for name in ("normad", "casa") for half in ("thin", "thick"))
"""Those whose items are about a country; the others speak of groups, in words that no rule can hide."""
CUES = ("ethnicity", "age", "religion", "region", "gender", "occupation", "marital_status")
ABSENT = frozenset({"", "none", "nan", "n/a", "generic"})
"""What stands in a cell of a cue that a persona does not carry."""
FIELDS = (
    "context", "actor", "recipient", "relation", "actor_behavior", "goal", "recipient_behavior", "other_descriptions"
)  # fmt: skip
GUIDANCE = {"persona": "eval_persona", "question": "eval_question", "norm": "eval_whole_desc"}
"""Who asks what of a group, and how its custom is explained: columns of CultureBank's released layout alone."""


class Situation(Struct, frozen=True, kw_only=True):
    """One row of a data set: what it counts towards, its gold label, and its words by the slots that they fill."""

    about: ItemMetadata
    line: int
    gold: str
    words: dict[str, str]

    def having(self, **words: str) -> "Situation":
        """The same with further words."""
        return replace(self, words={**self.words, **words})


def normad_rows(path: Path) -> Iterator[Situation]:
    """The scenes of a table of NormAd, each with its `rule`, and its `explanation` where the table has such a column.

    Raises:
        InputError: the table or a row of it cannot be used; the line says where.
    """
    for row in read_table(path, ("Country", "Story", "Rule-of-Thumb", "Gold Label")):
        where, rule = find(filled(row, "Country"), where=row.where), filled(row, "Rule-of-Thumb")
        item = f"normad-{_id(row, 'id', 'ID', '')}"
        explained = {"explanation": row.cells["Explanation"].strip()} if "Explanation" in row.cells else {}
        yield Situation(
            about=ItemMetadata(item=item, unit=item, cluster=digest(rule), place=where.id),
            line=row.line,
            gold=one_of(row, "Gold Label", (*YES_NO, "neutral")),
            words={"place": where.name, "story": filled(row, "Story"), "rule": rule, **explained},
        )


def _id(row: DataRow, *columns: str) -> str:
    """The first of the columns that is there; the released tables name it differently, or leave it without a name."""
    for column in columns:
        if row.cells.get(column, "").strip():
            return row.cells[column].strip()
    raise InputError(f"{row.where}: no id; expected a column called one of {[c or '(no name)' for c in columns]}.")


def casa_rows(path: Path, *, symbols: bool = False) -> Iterator[Situation]:
    """The requests of a table of CASA; `symbols` asks for what each is held against, the `symbol` of what is at stake.

    The released layout names no pair, where two rows in a row are taken as one.

    Raises:
        InputError: the table or a row of it cannot be used; the line says where.
    """
    needed = ("country", "user_query", "agreement", *(["symbol_desc"] if symbols else []))
    for number, row in enumerate(read_table(path, needed)):
        where, gold = find(filled(row, "country"), where=row.where), one_of(row, "agreement", YES_NO)
        subset, index = row.cells.get("subset") or "casa", row.cells.get("index") or str(number // 2)
        pair, query = f"{subset}-{index}", filled(row, "user_query")
        topic = {"topic": subset.replace("_", " ")} if "subset" in row.cells else {}
        item = f"casa-{pair}-{gold}"
        symbol = {"symbol": filled(row, "symbol_desc")} if symbols else {}
        yield Situation(
            about=ItemMetadata(item=item, unit=item, cluster=pair, place=where.id, groups=topic),
            line=row.line,
            gold=gold,
            words={"place": where.name, "query": query, "request": query, **symbol},
        )


def culturebank_rows(path: Path) -> Iterator[Situation]:
    """The behaviours of a table of CultureBank: `behaviour` as thin asks of it, `reported` as answers are held to it.

    Where the table has such columns, `persona`, `question` and `norm` say who asks what, and what holds. The gold
    label is whether most of the group agree.

    Raises:
        InputError: the table or a row of it cannot be used; the line says where.
    """
    for number, row in enumerate(read_table(path, ())):
        group = find_group(filled(row, _column(row, "cultural_group", "cultural group")))
        item, behaviour = f"culturebank-{row.cells.get('id') or number}", _described(row)
        reported = row.cells.get("behavioral_description", "").strip() or behaviour
        guided = {slot: row.cells.get(column, "").strip() for slot, column in GUIDANCE.items()}
        yield Situation(
            about=ItemMetadata(
                item=item, unit=item, cluster=item, place=group.places[0] if group.kind == "place" else None
            ),
            line=row.line,
            gold="yes" if agreed(row, _column(row, "normative", "norm_label", "norm", "agreement")) else "no",
            words={
                "group": group.label,
                "behaviour": behaviour,
                "reported": reported,
                **(guided if GUIDANCE["question"] in row.cells else {}),
            },
        )


def _column(row: DataRow, *names: str) -> str:
    for name in names:
        if name in row.cells:
            return name
    raise InputError(f"{row.where}: no column {list(names)}; columns are {sorted(row.cells)}.")


def _described(row: DataRow) -> str:
    """The behaviour in words: the sentence, or all structured fields that are filled."""
    if row.cells.get("sentence", "").strip():
        return row.cells["sentence"].strip()
    fields = {name: row.cells.get(name, "").strip() for name in FIELDS}
    parts = [f"{name.replace('_', ' ')}: {words}" for name, words in fields.items() if words]
    if not parts:
        raise InputError(f"{row.where}: nothing describes the behaviour; expected sentence, or {list(FIELDS)}.")
    return "\n".join(parts)


def specnorm_rows(path: Path) -> Iterator[Situation]:
    """The acts of personas in a table of SpecNorm; `norm` is what the persona's own community holds, not its country.

    Their `dimension` is how specific the persona is, and each cue that it carries.

    Raises:
        InputError: the table or a row of it cannot be used; the line says where.
    """
    asked = ("persona", "situation", "question")
    for number, row in enumerate(read_table(path, ("country", *asked, "label", "statement"))):
        where, statement = find(filled(row, "country"), where=row.where), filled(row, "statement")
        item, cues = f"specnorm-{row.cells.get('id') or number}", _carried(row)
        kinds = {"dimension": SEVERAL.join((specificity(cues), *cues))}
        yield Situation(
            about=ItemMetadata(item=item, unit=item, cluster=digest(statement), place=where.id, groups=kinds),
            line=row.line,
            gold=one_of(row, "label", YES_NO),
            words={"place": where.name, **{name: filled(row, name) for name in asked}, "norm": statement},
        )


def _carried(row: DataRow) -> tuple[str, ...]:
    """Names of the cues that a persona carries, in the order of the paper."""
    cues = (cue for cue in CUES if row.cells.get(cue, "").strip().casefold() not in ABSENT)
    return tuple(cue.replace("_", " ") for cue in cues)


def specificity(cues: Sequence[str]) -> str:
    """Specificity of a persona: low with one cue, medium with two or three, high with four or more (CURE, sec. 1).

    >>> specificity(("ethnicity", "age"))
    'medium'
    """
    return "low" if len(cues) <= 1 else "medium" if len(cues) <= 3 else "high"
