"""Where pairs come from: questions in CultureForest's layout, runs of open answers that were judged, and files.

questions ─▶ each option beside its question's norms, labelled by the alignment matrix, and beside one norm of elsewhere
runs      ─▶ each answer beside its question's norms, labelled by people, or by the judge where nobody asked people
files     ─▶ as they are
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path

from mores.annotation.judged_items import JudgedItem, judge_calls_of
from mores.annotation.label_tables import read_tables
from mores.annotation.sample import read_sample
from mores.benchmarks.cultureforest.data import ForestQuestion, KnownNorm, find_files, hash_files, read_forest
from mores.benchmarks.data_tables import hash_table
from mores.core.codec import digest
from mores.core.errors import InputError
from mores.core.files import sha256_of
from mores.core.seeds import Seed
from mores.judges.verifier import LABELS
from mores.models.verifier_facts import STANDS
from mores.pipelines.pipeline import KIND, NOT_KNOWN
from mores.pipelines.questions.draft import LETTERS, MATRIX, UpperLetter
from mores.pipelines.verifier.pairs import ResponseNormPair, read_pairs
from mores.runs.folder import MANIFEST, read_manifest
from mores.runs.results import VERDICTS, VOTES

_UNRELATED = Seed("verifier/unrelated")
"""The same for every training: which norm is put beside an option is part of the data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPairs:
    """All pairs with a label, where they are from, and how many pairs nobody labelled.

    `made_from` has a hash of each source by its name, and `licences` its licence, where the source says it.
    """

    pairs: tuple[ResponseNormPair, ...]
    made_from: dict[str, str]
    licences: dict[str, str]
    unlabelled: int


def pairs_given(sources: Sequence[Path], labels: Sequence[Path] = (), sample: Path | None = None) -> LabelledPairs:
    """The pairs of some sources.

    Args:
        sources: Folders in CultureForest's layout, such as `mores build questions` makes, finished runs, and files.
        labels: People's labels of what was judged in the runs; with them the judges' own words do not count.
        sample: The work list by whose ids people labelled.

    Raises:
        InputError: a source cannot be used, a label is about nothing, or one id names two pairs.
    """
    runs = [path for path in sources if _is_run(path)]
    if labels and not runs:
        raise InputError(f"--labels {labels[0]}: no run is named; expected the runs that people labelled.")
    found = [pair for path in sources if path not in runs for pair in _pairs(path)]
    found += _of_runs(runs, labels, sample) if runs else ()
    known = tuple(pair for pair in found if pair.label is not None)
    seen: dict[str, ResponseNormPair] = {}
    for pair in known:
        if seen.setdefault(pair.id, pair) != pair:
            raise InputError(f"two pairs are called {pair.id}; expected each source once.")
    if not known:
        raise InputError(f"{', '.join(map(str, sources))}: no pair of a response and a norm has a label.")
    hashes = {path: _hashes(path) for path in (*sources, *labels)}
    return LabelledPairs(
        pairs=tuple(seen.values()),
        made_from={name: value for each in hashes.values() for name, value in each.items()},
        licences={name: _licence(path) for path, each in hashes.items() for name in each},
        unlabelled=len(found) - len(known),
    )


def _is_run(path: Path) -> bool:
    return (path / MANIFEST).is_file() and read_manifest(path).get("kind") != KIND


def _pairs(path: Path) -> Iterator[ResponseNormPair]:
    if path.is_file():
        yield from read_pairs(path)
        return
    forest = read_forest(find_files(path, "mores verifier"))
    norms = sorted(forest.norms.values(), key=lambda norm: norm.id)
    elsewhere: dict[tuple[str, str], list[KnownNorm]] = {}
    for question in forest.questions:
        home = question.place, question.domain
        if home not in elsewhere:
            elsewhere[home] = [norm for norm in norms if norm.place != home[0] and norm.domain != home[1]]
        for letter, text in zip(LETTERS, question.options, strict=True):
            yield from _of_option(question, letter, text, elsewhere[home])


def _of_option(
    question: ForestQuestion, letter: UpperLetter, text: str, elsewhere: Sequence[KnownNorm]
) -> Iterator[ResponseNormPair]:
    """An option beside the three norms of its question, and beside one of another place and domain, where there is any.

    Options stand behind the words of their question in the data; a response is what comes after them.
    """
    response = text.removeprefix(question.open).strip() or text
    asked = question.background or question.open
    for norm, stand in zip(question.norms, MATRIX[letter], strict=True):
        yield ResponseNormPair(
            id=f"{question.id}/{letter}/{norm.id}", cluster=question.bundle, response=response, norm=norm.statement,
            place=question.place, place_name=question.country, question=asked, label=stand, origin="matrix",
        )  # fmt: skip
    if elsewhere:
        norm_of = elsewhere[_UNRELATED.child(question.id, letter).below(len(elsewhere))]
        yield ResponseNormPair(
            id=f"{question.id}/{letter}/{norm_of.id}", cluster=question.bundle, response=response,
            norm=norm_of.statement, place=norm_of.place, place_name=norm_of.country, question=asked, label="neutral",
            origin="unrelated",
        )  # fmt: skip


def _of_runs(runs: Sequence[Path], labels: Sequence[Path], sample: Path | None) -> Iterator[ResponseNormPair]:
    """Each answer that was judged beside each of its norms."""
    drawn = None if sample is None else read_sample(sample)
    for table in read_tables(runs, labels, drawn):
        if table.options != LABELS:
            raise InputError(
                f"{table.name}: its judges say no {', '.join(LABELS)}; expected runs of cultureforest/hard."
            )
        asked = {
            (evaluation.folder, thing): hearing.case.values
            for evaluation in table.evaluations
            for hearing in judge_calls_of(evaluation.run, evaluation.folder)
            for _, thing in hearing.things()
        }
        codes = (table.truth if labels else table.said).tolist()
        for row, code in zip(table.rows, codes, strict=True):
            pair = _of_answer(row, asked[row.evaluation.folder, row.thing])
            if isnan(code):
                yield pair
            else:
                yield replace(pair, label=STANDS[int(code)], origin="people" if labels else "judge")


def _of_answer(row: JudgedItem, values: Mapping[str, str]) -> ResponseNormPair:
    return ResponseNormPair(
        id=digest([row.evaluation.model, row.evaluation.benchmark, list(row.thing)], length=16),
        cluster=row.cluster,
        response=values["answer"],
        norm=values["norm"],
        place=row.place,
        place_name=values["place"],
        question=values["question"],
        model=row.evaluation.model,
    )


def _hashes(path: Path) -> dict[str, str]:
    """The hash of a source by its name."""
    if path.is_file():
        return hash_table(path)
    if _is_run(path):
        files = sorted({*path.rglob(VERDICTS), *path.rglob(VOTES)})
        return {path.name: digest([sha256_of(file) for file in files], length=64)}
    return hash_files(find_files(path, "mores verifier"))


def _licence(path: Path) -> str:
    """The licences of what a source was built from, as its manifest has them."""
    if not (path / MANIFEST).is_file():
        return NOT_KNOWN
    said = read_manifest(path).get("licences")
    return "; ".join(sorted(set(said.values()))) if isinstance(said, dict) and said else NOT_KNOWN
