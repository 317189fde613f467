"""A custom, a value and the words of a scenario about both, as well-behaved models would write it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mores.core.norm import Domain
from mores.pipelines.dialogues.pairs import CulturalValue, CustomValuePair
from mores.pipelines.dialogues.pipeline import DialogueOptions
from mores.pipelines.norms.norm_base_file import BASE, BuiltNorm, base_lines, base_of

Words = Mapping[str, Any]
ROLES = {"writer": "simulated/typical", "checker": "simulated/expert"}
CUSTOM, HELD = "White flowers are kept for funerals.", "Many there hold that parents come before friends."
PAIR = CustomValuePair(
    custom=BuiltNorm(id="n1", place="JP", statement=CUSTOM, source="A page", domain="etiquette"),
    value=CulturalValue(question="Q1", codes="1 2", place="NG", topic="Social values", statement=HELD),
    first_place="PE",
)
SCENE: Words = {
    "status": "ok", "scene": "Luz and Ade work with Rin, who is moving house.",
    "first": {"name": "Luz", "age": 31, "gender": "female", "occupation": "nurse"},
    "second": {"name": "Ade", "age": 28, "gender": "male", "occupation": "teacher"},
    "third": {"name": "Rin", "age": 45, "gender": "female", "occupation": "chef"},
}  # fmt: skip
EVENTS: Words = {
    "status": "ok", "event_1": "Settle what to bring to Rin.", "clash_1": "White lilies.",
    "event_2": "Settle who may stay over.", "clash_2": "Send the parents away.",
}  # fmt: skip
GOALS: Words = {
    "status": "ok", "first_1": "Propose a bunch of white lilies.", "first_2": "Propose to put off the parents.",
    "second_1": "Settle on something to bring.", "second_2": "Settle who stays over.",
}  # fmt: skip
SOUND: Words = {"conflict": "yes", "quote": "Propose", "gives_away": "no", "where": "", "reachable": "yes"}
NOBODY: Words = {"real": "no", "demeaning": "no", "where": ""}
MENDED: Words = {
    "event": "Settle what Rin gets.", "first": "Propose white roses for Rin.", "second": "Settle on a thing for Rin."
}  # fmt: skip
USUAL: dict[str, Words] = {
    "scene": SCENE,
    "events": EVENTS,
    "goals": GOALS,
    "check": SOUND,
    "people": NOBODY,
    "repair": MENDED,
}


def folder(path: Path, *norms: BuiltNorm) -> Path:
    """A norm base, and values of two places beside it."""
    path.mkdir()
    (path / BASE).write_bytes(base_lines(base_of(norms or (PAIR.custom,), {"mine": "x"}, simulated=False)))
    rows = (f"Q1,1 2,NG,Social values,{HELD}", "Q2,1,Peru,Trust,Many in [[place]] trust those they meet.")
    (path / "values.csv").write_text("question,codes,place,topic,statement\n" + "\n".join(rows) + "\n", "utf-8")
    return path


def options(path: Path) -> DialogueOptions:
    made = path if path.is_dir() else folder(path)
    return DialogueOptions(norms=str(made), values=made / "values.csv", roles=ROLES)


def norm(name: str, home: str, domain: Domain | None = "etiquette") -> BuiltNorm:
    return BuiltNorm(id=name, place=home, statement=f"Custom {name} of {home}.", source="A page", domain=domain)


def value(question: str, home: str) -> CulturalValue:
    return CulturalValue(question=question, codes="", place=home, topic="Trust", statement=f"They hold {question}.")
