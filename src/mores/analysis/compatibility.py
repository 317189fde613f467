"""Compatibility of two runs: only the subject may differ, and how much it was told to think."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from mores.analysis.contrast import Contrast
from mores.analysis.results import Result
from mores.core.errors import InputError
from mores.core.estimate import Caution

DRAWN, THINKING = "units drawn", "thinking"
"""No departures that keep runs from being compared: what both asked is paired, and the rest is counted; how much a
subject thinks is the subject's own, and what such runs are held against each other for."""
AS_PROVIDED = "as its provider has it"
WORDS = "words of "
"""Beginning of the name of a prompt's words among the settings that runs are held to."""


class Mismatch(NamedTuple):
    """In what besides the subject two results differ, and what each has of it by name: files by their hashes."""

    what: Literal["benchmark", "roles", "card", "protocol", "edition", "data"]
    a: Result
    b: Result
    of_a: dict[str, str]
    of_b: dict[str, str]

    @property
    def benchmark(self) -> str:
        """That of the first."""
        return self.a.benchmark


def refuse_incompatible(a: Result, b: Result, *, allow_other_data: bool) -> None:
    """Nothing, if two evaluations of one benchmark differ in their subject alone.

    Raises:
        InputError: other roles, card, protocol or data differ; the line says which.
    """
    found = first_mismatch(a, b, allow_other_data=allow_other_data)
    if found is not None:
        raise InputError(describe_mismatch(found))


def first_mismatch(a: Result, b: Result, *, allow_other_data: bool) -> Mismatch | None:
    """In what besides the subject two evaluations of one benchmark differ first; None where in nothing."""
    if _others(a) != _others(b):
        return Mismatch("roles", a, b, _others(a), _others(b))
    versions = a.provenance.card.version, b.provenance.card.version
    # scores compare within one number of a version; its letter changes calls alone
    if _number(versions[0]) != _number(versions[1]):
        return Mismatch("card", a, b, {"version": versions[0]}, {"version": versions[1]})
    if _departures(a) != _departures(b):
        return Mismatch("protocol", a, b, _departures(a), _departures(b))
    one, other = _editions(a), _editions(b)
    if any(_number(one[pack]) != _number(other[pack]) for pack in one.keys() & other.keys()):
        return Mismatch("edition", a, b, one, other)
    return None if allow_other_data else _other_data(a, b)


def thinking_of(result: Result) -> str:
    """Thinking that the subject was told to do: a word, a number of tokens, or nothing (its provider decides)."""
    asked = result.provenance.protocol.subject
    return AS_PROVIDED if asked is None or asked.thinking is None else str(asked.thinking)


def describe_mismatch(found: Mismatch) -> str:
    """Reason that two results must not be compared, in a line that says what was expected."""
    a, b = found.a, found.b
    one, other = (
        ", ".join(f"{name} {value}" for name, value in of.items()) or "nothing" for of in (found.of_a, found.of_b)
    )
    where = f"{a.benchmark}: {a.run} and {b.run}"
    match found.what:
        case "benchmark":
            return f"{a.run} has {a.benchmark}, {b.run} has {b.benchmark}."
        case "roles":
            return f"{where} have other roles {one} and {other}; expected the same models."
        case "card":
            versions = f"{found.of_a['version']} and {found.of_b['version']}"
            return f"{where} have card versions {versions}; scores compare within one number. Run one of them again."
        case "protocol":
            differ = a.provenance.protocol.words != b.provenance.protocol.words
            one, other = (_ran(each, of, words=differ) for each, of in ((a, found.of_a), (b, found.of_b)))
            return f"{a.benchmark}: {a.run} ran {one}, and {b.run} {other}; expected the same protocol."
        case "edition":
            return (
                f"{where} have two editions of one pack of norms, {one} and {other}; no figure is of both. "
                "Run one of them again, on the other's pack."
            )
        case "data":
            return (
                f"{where} have other data ({', '.join(_files(found))}); expected the same files, or "
                "--allow-other-data, which pairs what has the same id."
            )


def groups_alike(evaluations: Sequence[Result]) -> list[list[Result]]:
    """Results of one benchmark in groups that differ in their subject alone."""
    groups: list[list[Result]] = []
    for evaluation in evaluations:
        fitting = next((g for g in groups if first_mismatch(g[0], evaluation, allow_other_data=False) is None), None)
        if fitting is None:
            groups.append([evaluation])
        else:
            fitting.append(evaluation)
    return groups


def notes_on(a: Result, b: Result) -> Iterator[Caution]:
    """Cautions on what else differs between two evaluations that may be compared."""
    data = _other_data(a, b)
    if data is not None:
        yield Caution(code="data_differ", words=_files(data))
    if thinking_of(a) != thinking_of(b):
        yield Caution(code="thinking_differs", words=(f"A {thinking_of(a)}", f"B {thinking_of(b)}"))
    one, other = a.provenance.prompts, b.provenance.prompts
    # prompts that only one of them has are named where none that both have was changed
    changed = sorted(name for name, sha in one.items() if other.get(name, sha) != sha)
    if changed or one.keys() != other.keys():
        yield Caution(code="prompts_differ", words=tuple(changed or sorted(one.keys() ^ other.keys())))
    for evaluation, name in ((a, "A"), (b, "B")):
        for passage in evaluation.provenance.models.values():
            yield from (Caution(code="model_altered", words=(name, note)) for note in passage.altered)


def form_of_answers(contrasts: Iterable[Contrast]) -> Iterator[Caution]:
    """That answers of one of the two could be read less often: what differs may then be their form and no skill."""
    for each in contrasts:
        if each.metric == "format_error" and each.found:
            shares = (f"{name} {100 * (mean or 0.0):.1f}%" for name, mean in (("A", each.a), ("B", each.b)))
            yield Caution(code="form_differs", words=tuple(shares))


def nobody_thought(a: Result, b: Result) -> Iterator[Caution]:
    """That a subject was told to think, and no answer shows any thinking."""
    for name, each in (("A", a), ("B", b)):
        setting = thinking_of(each)
        if setting not in {AS_PROVIDED, "off"} and not each.simulated:
            spent = [thought.tokens for thought in each.stored.thought()]
            # of a journal that was not kept there are no tokens to count, which shows nothing
            if spent and not any(spent):
                yield Caution(code="nobody_thought", words=(name, setting))


def _others(evaluation: Result) -> dict[str, str]:
    return {role: spec for role, spec in sorted(evaluation.provenance.roles.items()) if role != "subject"}


def _number(version: str) -> str:
    return version.partition("-")[0]


def _editions(evaluation: Result) -> dict[str, str]:
    """The version of each pack of norms that items are from."""
    packs = (name.split() for name in evaluation.provenance.data if name.startswith("pack "))
    return {" ".join(words[:-1]): words[-1] for words in packs}


def _departures(evaluation: Result) -> dict[str, str]:
    """Settings that a run chose and words that are not ours, be they published or not, by name."""
    made = evaluation.provenance
    chosen = {d.setting: d.used for d in made.departures if not d.by_default and d.setting not in {DRAWN, THINKING}}
    return dict(sorted((chosen | {f"{WORDS}{key}": put for key, put in made.protocol.words.items()}).items()))


def _ran(evaluation: Result, of: dict[str, str], *, words: bool) -> str:
    """Way a run was made: in whose `words`, where two differ in them, and what it set otherwise."""
    protocol = evaluation.provenance.protocol
    settings = ", ".join(f"{name} {value}" for name, value in of.items() if not name.startswith(WORDS))
    others = ", ".join(f"{key} {put}" for key, put in protocol.words.items() if key not in protocol.faithful)
    published = ", ".join(f"{key} ({place})" for key, place in protocol.faithful.items())
    parts = (
        f"in the published words of {published}" if words and published else "",
        f"in other words of {others}" if words and others else "",
        "in mores' own words" if words and not protocol.words else "",
        f"with {settings}" if settings else "",
    )
    return " and ".join(filter(None, parts)) or "as its card says"


def _other_data(a: Result, b: Result) -> Mismatch | None:
    """The files that only one of the two has, by their hashes alone: a file may have another name."""
    one, other = a.provenance.data, b.provenance.data
    if sorted(one.values()) == sorted(other.values()):
        return None
    own = (
        {f: sha for f, sha in of.items() if sha not in others.values()} for of, others in ((one, other), (other, one))
    )
    return Mismatch("data", a, b, *own)


def _files(found: Mismatch) -> tuple[str, ...]:
    """Files with the run that they are of and the beginning of their hashes."""
    of = {"A": found.of_a, "B": found.of_b}
    return tuple(f"{run} {file} {sha[:12]}" for run, files in of.items() for file, sha in files.items())
