"""CultureForest's released files, read into questions and the norms that they rest on.

A folder for each country or region, in it a file for each category with a question a line ─▶ `ForestQuestion`; beside
them one file of all norms with their negations and how strict they are ─▶ `KnownNorm`. What is read is what the
released code reads; any other shape is refused, with the line and the field that were expected.
"""

import hashlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from mores.benchmarks.data_tables import find_table, hash_table
from mores.core.codec import parse_json, read_text
from mores.core.errors import InputError, UnknownName
from mores.core.estimate import SHARED
from mores.core.norm import Domain, Strictness
from mores.core.transcript import ItemMetadata
from mores.norms.places import find, spelling

NORMS_FILE = "norms_both_acc.json"
ENDINGS = (".json", ".jsonl")
LETTERS = "ABCD"
DOMAINS: dict[str, Domain] = {
    "Business Culture": "business",
    "Communication": "communication",
    "Dates of Significance": "dates",
    "Etiquette": "etiquette",
    "Family": "family",
    "Greetings": "greetings",
    "Naming": "naming",
    "Religion": "religion",
}
"""The released categories in our words."""
_BY_WORDS = {spelling(name): domain for name, domain in DOMAINS.items()}
STRICTNESS: dict[str, Strictness] = {"No": "no", "Sometimes": "sometimes"}
"""Is it ever acceptable to act against the norm? A norm where it always is ("Yes") is in no question."""


class KnownNorm(Struct, frozen=True, kw_only=True):
    """A norm as the file of norms has it, with a statement that contradicts it; `country` is the data's name."""

    id: str
    statement: str
    negation: str
    strictness: Strictness
    country: str
    place: str
    domain: Domain


class ForestQuestion(Struct, frozen=True, kw_only=True):
    """One question in its three forms, with the three norms that it rests on; `country` is the data's name.

    `norms` are in the question's own words. `options` are the texts of the four judgements, of which the last alone is
    appropriate; `letter` is the right one of `choice`, whose options stand in its text. `background` is what a verifier
    is told of the open question.
    """

    id: str
    place: str
    country: str
    domain: Domain
    norms: tuple[KnownNorm, ...]
    choice: str
    letter: str
    options: tuple[str, ...]
    open: str
    background: str
    line: int
    topic: str = ""

    @property
    def bundle(self) -> str:
        """The norms' ids in their order."""
        return SHARED.join(norm.id for norm in self.norms)

    def about(self, item: str) -> ItemMetadata:
        """Metadata of an item that asks it: the question is the unit, in all forms by one name.

        Its cluster names the bundle; bundles that share a norm are one pool wherever figures are reckoned.
        """
        groups = {"domain": str(self.domain), **({"topic": self.topic} if self.topic else {})}
        return ItemMetadata(item=item, unit=self.id, cluster=self.bundle, place=self.place, groups=groups)


def norms_of_bundle(bundle: str) -> tuple[str, ...]:
    """The ids of a bundle's norms, by its name."""
    return tuple(bundle.split(SHARED))


class ForestData(Struct, frozen=True, kw_only=True):
    """All questions, and the norms that they rest on by id, in the order in which they come up."""

    questions: tuple[ForestQuestion, ...]
    norms: Mapping[str, KnownNorm]


class Files(NamedTuple):
    """Paths of the released files: the files of questions by country's folder, and the file of norms."""

    questions: tuple[Path, ...]
    norms: Path


def find_files(data: Path | None, benchmark: str) -> Files:
    """The released files in a folder that holds the countries' folders, or in the one above it.

    Raises:
        InputError: no folder was named, or it holds no questions or no norms.
    """
    if data is None or not data.exists():
        find_table(data, (NORMS_FILE,), benchmark)  # says what to give
    if data is None or not data.is_dir():
        raise InputError(f"--data {data}: a file; expected the folder of {benchmark} with {_LAYOUT}.")
    homes = [home for home in (data, *_folders(data)) if any(_questions(folder) for folder in _folders(home))]
    if not homes or (homes[0] != data and len(homes) > 1):
        found = f"questions in {[home.name for home in homes]}" if homes else "no questions there"
        raise InputError(f"--data {data}: {found}; expected one folder of {benchmark} with {_LAYOUT}.")
    home = homes[0]
    norms = [path for path in (home / NORMS_FILE, home.parent / NORMS_FILE) if path.is_file()]
    if not norms:
        raise InputError(f"--data {data}: no {NORMS_FILE} in {home} or beside it; {benchmark} needs it.")
    return Files(tuple(path for folder in _folders(home) for path in _questions(folder)), norms[0])


_LAYOUT = f"a folder for each country, in it a file for each category (such as Family.json), and {NORMS_FILE}"


def _folders(home: Path) -> list[Path]:
    return sorted(path for path in home.iterdir() if path.is_dir() and not path.name.startswith("."))


def _questions(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in ENDINGS and path.name != NORMS_FILE)


def hash_files(files: Files) -> dict[str, str]:
    """One hash over all files of questions by their paths, and the hash of the norms."""
    whole = hashlib.sha256()
    for path in files.questions:
        (found,) = hash_table(path).values()
        # By folder and name alone, so that the hash is the same wherever the data lie.
        whole.update(f"{path.parent.name}/{path.name} {found}\n".encode())
    home = files.questions[0].parent.parent.name
    return {f"{home} ({len(files.questions)} files)": whole.hexdigest()} | hash_table(files.norms)


def read_forest(files: Files) -> ForestData:
    """All questions in the order of their folders, files and lines.

    Raises:
        InputError: a line or a norm is not as expected, or an id stands twice; the message says where.
    """
    # Times of change are part of the cache's key, so that a file that changed is read anew.
    stamps = tuple(path.stat().st_mtime_ns for path in (*files.questions, files.norms))
    return _forest(files, stamps)


@lru_cache(maxsize=1)
def _forest(files: Files, _changed: tuple[int, ...]) -> ForestData:
    reader = _Reader(file=files.norms, norms=_read_norms(files.norms))
    questions = tuple(question for path in files.questions for question in reader.questions(path))
    if not questions:
        raise InputError(f"{files.questions[0].parent.parent}: no questions; expected a JSON object a line.")
    return ForestData(questions=questions, norms=reader.met)


def _read_norms(path: Path) -> dict[str, dict[str, Any]]:
    """The file of norms as it stands, by id: an object of norms, or a list of them."""
    whole = parse_json(read_text(path), where=str(path))
    entries = list(whole.values()) if isinstance(whole, dict) else whole
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError(f"{path}: expected an object of norms by norm_id, or a list of norms.")
    found: dict[str, dict[str, Any]] = {}
    for number, entry in enumerate(entries, start=1):
        norm_id = _text(entry, "norm_id", f"{path}: norm {number}")
        if norm_id in found:
            raise InputError(f"{path}: norm_id '{norm_id}' stands twice; expected once.")
        found[norm_id] = entry
    return found


class _Reader(Struct, frozen=True, kw_only=True):
    """Reads questions, and keeps what must hold over all of them: whose ids were seen where, and which norms."""

    file: Path
    norms: dict[str, dict[str, Any]]
    met: dict[str, KnownNorm] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)
    bundles: dict[str, str] = field(default_factory=dict)

    def questions(self, path: Path) -> Iterator[ForestQuestion]:
        """The questions of one file."""
        country = path.parent.name.replace("_", " ").strip()
        place, domain = find(country, where=str(path.parent)).id, _domain(path.stem, str(path))
        for number, line in enumerate(read_text(path).split("\n"), start=1):
            if line.strip():
                where = f"{path}:{number}"
                question = self._question(_row(line, where), where, number, (country, place, domain))
                self._refuse_duplicates(question, where)
                yield question

    def _question(self, row: dict[str, Any], where: str, line: int, home: tuple[str, str, Domain]) -> ForestQuestion:
        letter = _text(row, "Easy.Answer_Key_Shuffle", where).strip()
        if letter not in tuple(LETTERS):
            raise InputError(f"{where}: Easy.Answer_Key_Shuffle is '{letter}'; expected one of {list(LETTERS)}.")
        country, place, domain = home
        return ForestQuestion(
            id=_text(row, "uuid", where),
            place=place,
            country=country,
            domain=domain,
            norms=tuple(self._norm(row, f"Norm_Bundle.Norms.Norm_{n}", where) for n in (1, 2, 3)),
            choice=_text(row, "Easy.Question_MCQ", where),
            letter=letter,
            options=tuple(_text(row, f"Medium.Question_Judge{n}", where) for n in (1, 2, 3, 4)),
            open=_text(row, "Open.Question_Open", where),
            background=_text(row, "Open_End", where),
            line=line,
            topic=_topic(row),
        )

    def _norm(self, row: dict[str, Any], field_name: str, where: str) -> KnownNorm:
        norm_id = _text(row, f"{field_name}.norm_id", where)
        known = self.met.get(norm_id) or self._known(norm_id, where)
        self.met[norm_id] = known
        return replace(known, statement=_text(row, f"{field_name}.norm", where))

    def _known(self, norm_id: str, where: str) -> KnownNorm:
        spot = f"{self.file}: norm '{norm_id}'"
        if norm_id not in self.norms:
            raise InputError(f"{spot} is not there, so its strictness is unknown; {where} rests on it.")
        entry = self.norms[norm_id]
        acceptable, country = (_text(entry, name, spot) for name in ("acceptability", "Country/Region"))
        if acceptable not in STRICTNESS:
            why = " (nothing is asked of a norm that may always be broken)" if acceptable == "Yes" else ""
            raise InputError(
                f"{spot}: acceptability is '{acceptable}'; expected one of {list(STRICTNESS)}{why}; {where} "
                "rests on it."
            )
        return KnownNorm(
            id=norm_id,
            statement=_text(entry, "norm", spot),
            negation=_text(entry, "norm_negative", spot),
            strictness=STRICTNESS[acceptable],
            country=country,
            place=find(country, where=spot).id,
            domain=_domain(_text(entry, "Category", spot), spot),
        )

    def _refuse_duplicates(self, question: ForestQuestion, where: str) -> None:
        if len({norm.id for norm in question.norms}) < len(question.norms):
            raise InputError(f"{where}: norms {question.bundle}; expected three different ones.")
        first = self.seen.setdefault(question.id, where)
        if first != where:
            raise InputError(f"{where}: uuid '{question.id}' stands twice, first in {first}; expected once.")
        home = self.bundles.setdefault(question.bundle, question.place)
        if home != question.place:
            raise InputError(
                f"{where}: norms {question.bundle} are of {question.place} here and of {home} elsewhere; expected one."
            )


def _row(line: str, where: str) -> dict[str, Any]:
    """The object on one line."""
    try:
        row = parse_json(line, where=where)
    except InputError as error:
        raise InputError(f"{error} Expected a question a line, as JSON.") from error
    if not isinstance(row, dict):
        raise InputError(f"{where}: expected an object with the fields of a question.")
    return row


def _domain(category: str, where: str) -> Domain:
    if spelling(category) not in _BY_WORDS:
        raise UnknownName("category", category, DOMAINS, where=where, todo=f"Known are {', '.join(DOMAINS)}.")
    return _BY_WORDS[spelling(category)]


def _topic(row: dict[str, Any]) -> str:
    """The topic that a question's norms share, where the data say it; the released layout is not known to."""
    topic = row["Norm_Bundle"].get("Topic", "")
    return topic.strip() if isinstance(topic, str) else ""


def _text(row: Any, path: str, where: str) -> str:
    """The text at a path of fields, such as `Easy.Question_MCQ`.

    Raises:
        InputError: a field on the way is missing, or the last holds no text; the line says which.
    """
    value, gone = row, ""
    for name in path.split("."):
        gone = f"{gone}.{name}".lstrip(".")
        if not isinstance(value, dict) or name not in value:
            known = f"; fields there are {sorted(value)}" if isinstance(value, dict) else ""
            raise InputError(f"{where}: no field '{gone}'{known}; expected text at {path}.")
        value = value[name]
    if not isinstance(value, str) or not value.strip():
        raise InputError(
            f"{where}: {path} is {'empty' if isinstance(value, str) else repr(value)[:40]}; expected text."
        )
    return value
