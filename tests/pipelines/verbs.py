"""Every verb that builds by asking models, as it is typed, over small data of our own: a line each."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from mores.core.codec import encode_lines
from mores.models.journal_reader import read_entries
from mores.pipelines.norms.bundles import Bundle
from mores.pipelines.norms.norm_base_file import BASE, BuiltNorm, base_lines, base_of
from mores.pipelines.norms.pipeline import BUNDLES
from mores.runs.folder import JOURNAL

PLACES = ("JP", "NG", "PE")


class Verb(NamedTuple):
    """What is typed after `mores build` but for models and the folder, and the roles that models play.

    Roles are `named` where each has a flag of its own.
    """

    typed: Callable[[Path], list[object]]
    roles: tuple[str, ...]
    named: bool = False


VERBS = {
    "norms": Verb(lambda data: [data / "norms.csv"], ("labeller", "labeller2", "labeller3", "writer")),
    "topics": Verb(lambda data: [data / "norms.csv", "--id", "id", "--words", "statement"], ("labeller",)),
    "questions": Verb(lambda data: [data, "--limit", 3], ("writer", "checker")),
    "subgroups": Verb(lambda data: [data / "norms.csv"], ("writer", "checker")),
    "dialogues": Verb(lambda data: [data, data / "values.csv", "--limit", 4], ("writer", "checker")),
    "translate": Verb(lambda _data: ["pack", "--language", "ar", "--place", "JP", "--limit", 3], ("writer", "checker")),
    "ladder": Verb(lambda data: ["--norms", data / "norms.csv"], ("writer", "checker"), named=True),
}


def write_data(folder: Path, count: int = 12) -> Path:
    """So many statements as a table and as a norm base, with bundles, and values beside them."""
    folder.mkdir(parents=True)
    said = [f"Old farmers of valley {n} in the north greet each other {n} times at noon." for n in range(count)]
    norms = tuple(
        BuiltNorm(
            id=f"n{n:03}", place=PLACES[n % 3], statement=words, source="A page", domain="etiquette",
            topic="Visits", strictness="no", negation=f"It is not so: {words}",
        )
        for n, words in enumerate(said)
    )  # fmt: skip
    (folder / BASE).write_bytes(base_lines(base_of(norms, {"mine": "x"}, simulated=False)))
    (folder / BUNDLES).write_bytes(encode_lines(bundles_of(norms)))
    rows = (f"{norm.id},{norm.place},{norm.statement},{norm.source}" for norm in norms)
    (folder / "norms.csv").write_text("\n".join(("id,place,statement,source", *rows)) + "\n", encoding="utf-8")
    values = (f"Q{n},1,{PLACES[n % 3]},Trust,Many hold that {n} friends are enough." for n in range(count))
    (folder / "values.csv").write_text("\n".join(("question,codes,place,topic,statement", *values)) + "\n")
    return folder


def bundles_of(norms: Sequence[BuiltNorm]) -> list[Bundle]:
    """Neighbours by threes in a ring of each place, as many as norms: all triples would be millions of many norms."""
    rings = [[norm for norm in norms if norm.place == place] for place in sorted({norm.place for norm in norms})]
    return [
        Bundle(
            id="+".join(norm.id for norm in three), place=three[0].place, domain="etiquette", topic="Visits",
            norms=tuple(norm.id for norm in three), silhouette=0.2, pool_silhouette=0.1,
        )
        for ring in rings
        for three in zip(ring, ring[1:] + ring[:1], ring[2:] + ring[:2], strict=True)
        if len(ring) > 2
    ]  # fmt: skip


def words(name: str, data: Path, out: Path, url: str = "", *more: object) -> list[object]:
    """A build of our own data with simulated models, or with an endpoint at an address."""
    return words_of(name, VERBS[name].typed(data), out, url, *more)


def words_of(name: str, given: Sequence[object], out: Path, url: str = "", *more: object) -> list[object]:
    """A build of what is given, with simulated models or with an endpoint at an address."""
    verb = VERBS[name]
    models = [f"vllm/m{n}" if url else f"simulated/expert:person={n}" for n in range(len(verb.roles))]
    roles = [
        word
        for role, model in zip(verb.roles, models, strict=True)
        for word in ((f"--{role}", model) if verb.named else ("--role", f"{role}={model}"))
    ]
    reached = ["--base-url", url] if url else []
    return ["build", name, *given, "--out", out, *roles, *reached, *more]


def said_in(out: Path) -> dict[str, str]:
    """What was answered to each prompt of a build, to be said again by an endpoint."""
    found: dict[str, str] = {}
    for entry in read_entries(out / JOURNAL):
        found.setdefault(entry.messages[-1].content, entry.reply.text)
    return found


def released(out: Path) -> dict[str, bytes]:
    """All files of a build but its journal and what begins with a dot, which hold no more than how it came about."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and not path.name.startswith((".", JOURNAL))
    }
