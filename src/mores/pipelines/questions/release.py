"""Questions in the layout that CultureForest is released in.

A folder a country, in it a file a category with a question a line, and one file of norms: what `cultureforest/*` reads.
Which letter the right option gets, a hash of the question's id decides, so that adding questions moves none.
"""

from collections.abc import Mapping, Sequence

import msgspec

from mores.benchmarks.cultureforest.data import DOMAINS, NORMS_FILE
from mores.core.codec import digest, encode
from mores.core.seeds import Seed
from mores.norms.places import place
from mores.pipelines.funnel import counted
from mores.pipelines.norms.norm_base_file import BaseHead, BuiltNorm
from mores.pipelines.pipeline import Release
from mores.pipelines.questions.draft import LETTERS, Grounds, QuestionDraft, UpperLetter
from mores.pipelines.questions.prompts import REFINEMENTS
from mores.stats.rng import generator

DATA = "data"
FOREST_DOMAINS = {domain: name for name, domain in DOMAINS.items()}
_ACCEPTABILITY = {"no": "No", "sometimes": "Sometimes"}
_SHUFFLES = Seed("questions/shuffle")
"""The same in every build: the order of options is part of a question, not of a build."""


class BuiltQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question that was kept: as it is, as it first fitted the matrix, and what was done to it on the way."""

    grounds: Grounds
    draft: QuestionDraft
    first: QuestionDraft
    repairs: int
    refined: tuple[str, ...]

    @property
    def id(self) -> str:
        """A hash of the norms that it rests on."""
        return digest(self.grounds.id, length=16)

    @property
    def domain(self) -> str:
        """The category, as the released files are called."""
        return FOREST_DOMAINS[self.grounds.norms[0].domain or "etiquette"]


def shuffled(question: str) -> dict[UpperLetter, UpperLetter]:
    """Letters of the courses of action as they are released.

    >>> sorted(shuffled("a").values())
    ['A', 'B', 'C', 'D']
    """
    order = generator(_SHUFFLES.child(question)).permutation(len(LETTERS))
    return {letter: LETTERS[int(at)] for letter, at in zip(LETTERS, order, strict=True)}


def release(made: Sequence[BuiltQuestion], head: BaseHead, sheet: Mapping[str, bytes]) -> Release:
    """The files of a release with the sheet for people beside them, and what its datasheet says of it."""
    ordered = sorted(made, key=lambda each: each.id)
    files: dict[str, list[bytes]] = {}
    for each in ordered:
        country = place(each.grounds.place).name.replace(" ", "_")
        files.setdefault(f"{DATA}/{country}/{each.domain}.json", []).append(encode(_row(each)) + b"\n")
    norms = {norm.id: norm for each in ordered for norm in each.grounds.norms}
    return Release(
        files={
            **{name: b"".join(rows) for name, rows in sorted(files.items())},
            f"{DATA}/{NORMS_FILE}": encode([_norm(norms[name]) for name in sorted(norms)]) + b"\n",
            **sheet,
        },
        facts=_facts(ordered, head),
        gated=DATA if made else "",
    )


def _row(made: BuiltQuestion) -> dict[str, object]:
    """One question in its three forms."""
    draft, order = made.draft, shuffled(made.id)
    stem = f"{draft.context} {draft.question}"
    listed = "\n".join(f"{letter}. {draft.options[shown]}" for letter, shown in order.items())
    held = {f"Norm_{n}": {"norm_id": norm.id, "norm": norm.statement}
            for n, norm in enumerate(made.grounds.norms, start=1)}  # fmt: skip
    judged = {f"Question_Judge{n}": f"{stem}\n{draft.options[letter]}" for n, letter in enumerate(LETTERS, start=1)}
    return {
        "uuid": made.id,
        "Norm_Bundle": {"Topic": made.grounds.norms[0].topic, "Norms": held},
        "Easy": {"Question_MCQ": f"{stem}\n{listed}", "Answer_Key_Shuffle": _right(made)},
        "Medium": judged,
        "Open": {"Question_Open": stem},
        "Open_End": draft.context,
    }


def _norm(norm: BuiltNorm) -> dict[str, str]:
    return {
        "norm_id": norm.id,
        "norm": norm.statement,
        "norm_negative": norm.negation,
        "acceptability": _ACCEPTABILITY[norm.strictness or "sometimes"],
        "Country/Region": place(norm.place).name,
        "Category": FOREST_DOMAINS[norm.domain or "etiquette"],
    }


def _facts(made: Sequence[BuiltQuestion], head: BaseHead) -> dict[str, object]:
    return {
        "norm_base": head.version,
        "questions": len(made),
        "norms": len({norm.id for each in made for norm in each.grounds.norms}),
        "by_place": counted(each.grounds.place for each in made),
        "by_domain": counted(each.domain for each in made),
        "right_letter": counted(_right(each) for each in made),
        "repairs": counted(str(each.repairs) for each in made),
        "refinements": {step: sum(step in each.refined for each in made) for step in REFINEMENTS},
    }


def _right(made: BuiltQuestion) -> str:
    return next(letter for letter, shown in shuffled(made.id).items() if shown == "D")
