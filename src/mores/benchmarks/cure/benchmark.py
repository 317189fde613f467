"""CURE, thin: one word on a situation, over NormAd, CASA, CultureBank and SpecNorm.

Each loader reads the released layout and the plain tables that circulate of it; exact match on one word.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from mores.benchmarks.benchmark import Setting
from mores.benchmarks.shapes.closed import ClosedBenchmark, ClosedItem, Form, Read
from mores.benchmarks.tabular import Row, filled, find_table, one_of, read_table
from mores.core.card import Card
from mores.core.codec import digest
from mores.core.errors import InputError
from mores.core.item import About
from mores.core.prompt import Prompt
from mores.norms.groups import find_group
from mores.norms.places import find

HERE = Path(__file__).parent
YES_NO = {"yes": "yes", "no": "no"}
CUES = ("ethnicity", "age", "religion", "region", "gender", "occupation", "marital_status")
FIELDS = (
    "context", "actor", "recipient", "relation", "actor_behavior", "goal", "recipient_behavior", "other_descriptions"
)  # fmt: skip


def benchmark(name: str) -> ClosedBenchmark:
    """One of `normad_thin`, `casa_thin`, `culturebank_thin` and `specnorm_thin`."""
    read, slots, ways = _KINDS[name]
    form = Form(prompt=Prompt.read(HERE / f"{name}.prompt.md"), slots=slots, ways=ways, affirmative="yes", rung="judge")
    return ClosedBenchmark(card=Card.read(HERE / f"{name}.card.toml"), forms={name: form}, read=read)


def _read_normad(setting: Setting, forms: dict[str, Form]) -> Sequence[ClosedItem]:
    path = find_table(setting.data, ("normad.csv", "NormAd.csv"), "cure/normad_thin")
    form = forms["normad_thin"]
    return [_normad(row, form) for row in read_table(path, ("Country", "Story", "Rule-of-Thumb", "Gold Label"))]


def _normad(row: Row, form: Form) -> ClosedItem:
    where = find(filled(row, "Country"), where=row.where)
    item = f"normad-{_id(row, 'id', 'ID', '')}"
    rule = digest(filled(row, "Rule-of-Thumb"))
    about = About(item=item, unit=item, cluster=rule, place=where.id)
    gold = one_of(row, "Gold Label", ("yes", "no", "neutral"))
    return ClosedItem(about=about, form=form, words=(where.name, filled(row, "Story")), gold=gold, line=row.line)


def _id(row: Row, *columns: str) -> str:
    """The first of the columns that is there; the released tables name it differently, or leave it without a name."""
    for column in columns:
        if row.cells.get(column, "").strip():
            return row.cells[column].strip()
    raise InputError(f"{row.where}: no id; expected a column called one of {[c or '(no name)' for c in columns]}.")


def _read_casa(setting: Setting, forms: dict[str, Form]) -> Sequence[ClosedItem]:
    path = find_table(setting.data, ("casa.csv", "casa.jsonl"), "cure/casa_thin")
    form = forms["casa_thin"]
    rows = read_table(path, ("country", "user_query", "agreement"))
    return [_casa(row, number, form) for number, row in enumerate(rows)]


def _casa(row: Row, number: int, form: Form) -> ClosedItem:
    """A query; the released layout names no pair, where two rows in a row are taken as one."""
    where = find(filled(row, "country"), where=row.where)
    gold = one_of(row, "agreement", ("yes", "no"))
    subset, index = row.cells.get("subset") or "casa", row.cells.get("index") or str(number // 2)
    pair = f"{subset}-{index}"
    topic = {"topic": subset.replace("_", " ")} if "subset" in row.cells else {}
    about = About(item=f"casa-{pair}-{gold}", unit=f"casa-{pair}-{gold}", cluster=pair, place=where.id, groups=topic)
    words = (where.name, filled(row, "user_query"))
    return ClosedItem(about=about, form=form, words=words, gold=gold, line=row.line)


def _read_culturebank(setting: Setting, forms: dict[str, Form]) -> Sequence[ClosedItem]:
    names = ("culbank.csv", "culbank.jsonl", "culturebank-contexts.csv")
    path = find_table(setting.data, names, "cure/culturebank_thin")
    form = forms["culturebank_thin"]
    return [_culturebank(row, number, form) for number, row in enumerate(read_table(path, ()))]


def _culturebank(row: Row, number: int, form: Form) -> ClosedItem:
    label = _column(row, "cultural_group", "cultural group")
    group = find_group(filled(row, label))
    one = group.places[0] if group.kind == "place" else None
    item = f"culturebank-{row.cells.get('id') or number}"
    about = About(item=item, unit=item, cluster=item, place=one)
    words = (group.label, _described(row))
    return ClosedItem(about=about, form=form, words=words, gold=_agreed(row), line=row.line)


def _column(row: Row, *names: str) -> str:
    for name in names:
        if name in row.cells:
            return name
    raise InputError(f"{row.where}: no column {list(names)}; columns are {sorted(row.cells)}.")


def _described(row: Row) -> str:
    """The behaviour in words: the sentence, or all structured fields that are filled."""
    if row.cells.get("sentence", "").strip():
        return row.cells["sentence"].strip()
    said = {name: row.cells.get(name, "").strip() for name in FIELDS}
    parts = [f"{name.replace('_', ' ')}: {words}" for name, words in said.items() if words]
    if not parts:
        raise InputError(f"{row.where}: nothing describes the behaviour; expected sentence, or {list(FIELDS)}.")
    return "\n".join(parts)


def _agreed(row: Row) -> str:
    """Gold label: a share above a half, or yes/no, 1/0, true/false, under any of the released names."""
    column = _column(row, "normative", "norm_label", "norm", "agreement")
    text = row.cells[column].strip().casefold()
    words = {"yes": "yes", "true": "yes", "no": "no", "false": "no"}
    if text in words:
        return words[text]
    try:
        agreeing = float(text)
    except ValueError as error:
        raise InputError(f"{row.where}: {column} is '{text}'; expected yes, no or a share from 0 to 1.") from error
    if not 0.0 <= agreeing <= 1.0:
        raise InputError(f"{row.where}: {column} is {text}; expected a share from 0 to 1.")
    return "yes" if agreeing > 0.5 else "no"


def _read_specnorm(setting: Setting, forms: dict[str, Form]) -> Sequence[ClosedItem]:
    path = find_table(setting.data, ("specnorm.csv", "nclb.csv", "nclb.jsonl"), "cure/specnorm_thin")
    form = forms["specnorm_thin"]
    rows = read_table(path, ("country", "persona", "situation", "question", "label", "statement"))
    return [_specnorm(row, number, form) for number, row in enumerate(rows)]


def _specnorm(row: Row, number: int, form: Form) -> ClosedItem:
    where = find(filled(row, "country"), where=row.where)
    item = f"specnorm-{row.cells.get('id') or number}"
    level = specificity(row.cells.get(cue, "") for cue in CUES)
    about = About(
        item=item, unit=item, cluster=digest(filled(row, "statement")), place=where.id, groups={"dimension": level}
    )
    words = (where.name, *(filled(row, column) for column in ("persona", "situation", "question")))
    gold = one_of(row, "label", ("yes", "no"))
    return ClosedItem(about=about, form=form, words=words, gold=gold, line=row.line)


def specificity(cues: Iterable[str]) -> str:
    """How specific a persona is: low with one cue, medium with two or three, high with four or more (CURE, sec. 1)."""
    count = sum(1 for cue in cues if cue.strip() and cue.strip().casefold() not in {"none", "nan", "n/a", "generic"})
    return "low" if count <= 1 else "medium" if count <= 3 else "high"


_KINDS: dict[str, tuple[Read, tuple[str, ...], dict[str, str]]] = {
    "normad_thin": (_read_normad, ("place", "story"), {**YES_NO, "neutral": "neutral"}),
    "casa_thin": (_read_casa, ("place", "query"), YES_NO),
    "culturebank_thin": (_read_culturebank, ("group", "behaviour"), YES_NO),
    "specnorm_thin": (_read_specnorm, ("place", "persona", "situation", "question"), YES_NO),
}
