"""Pairs of a response and a norm: their sources, their labels, and the split into what is learnt and what is tested.

questions ─▶ each option beside its question's norms, labelled by the alignment matrix, and beside one norm of elsewhere
runs      ─▶ each answer beside its question's norms, labelled by people, or by the judge where nobody asked people
files     ─▶ as they are

A question is on one side of the split alone, with all questions that say the same in the same normalised words, or
nearly so by a model of embeddings. A hash of the question decides which are held out, so that adding questions moves
no other.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from msgspec.structs import replace

from mores.annotation.judged_items import JudgedItem, judge_calls_of
from mores.annotation.label_tables import read_tables
from mores.annotation.sample import read_sample
from mores.benchmarks.cultureforest.data import ForestQuestion, KnownNorm, find_files, hash_files, read_forest
from mores.benchmarks.data_tables import DataRow, filled, hash_table, one_of, read_table
from mores.core.codec import digest
from mores.core.errors import InputError
from mores.core.files import sha256_of
from mores.core.seeds import Seed
from mores.judges.verifier import LABELS
from mores.models.similarity import Embedder
from mores.models.verifier_facts import STANDS, LabelledBy, ResponseStand
from mores.norms.places import find
from mores.pipelines.duplicates import NEAR, vectors_of
from mores.pipelines.pipeline import KIND, NOT_KNOWN
from mores.pipelines.questions.prompts import LETTERS, MATRIX, UpperLetter
from mores.pipelines.text_checks import normalised
from mores.runs.evaluation import VERDICTS, VOTES
from mores.runs.folder import MANIFEST, read_manifest

PairOrigin = Literal["matrix", "unrelated", "judge", "people", "file", ""]
"""Origin of a pair's label: the alignment matrix, a norm of elsewhere, the judge of a run, people, or a file that does
not say who; empty where nobody did."""
_LABELLED_BY: dict[PairOrigin, LabelledBy] = {"people": "people", "file": "file"}
COLUMNS = ("response", "norm", "label")


class ResponseNormPair(msgspec.Struct, frozen=True, kw_only=True):
    """A response and a norm; `cluster` is what was drawn together, such as the norms that a question rests on.

    `place` is the norm's, by its id; judges are told its name and the question besides. `model` is who responded, ""
    for an option of a question.
    """

    id: str
    cluster: str
    response: str
    norm: str
    place: str = ""
    place_name: str = ""
    question: str = ""
    model: str = ""
    label: ResponseStand | None = None
    origin: PairOrigin = ""

    @property
    def labels(self) -> LabelledBy:
        """Origin of the label, as models of verifiers name it."""
        return _LABELLED_BY.get(self.origin, "synthetic")


def codes_of(pairs: Sequence[ResponseNormPair]) -> list[int]:
    """The place of each pair's label among `STANDS`; pairs without one have none."""
    return [STANDS.index(pair.label) for pair in pairs if pair.label is not None]


def read_pairs(path: Path, *, with_labels: bool = True) -> tuple[ResponseNormPair, ...]:
    """The pairs of a CSV or JSON Lines file with the columns response, norm and, if it is wanted, label.

    It may have id, cluster, place, question, model and annotator. Pairs of one question are one cluster unless the
    file says otherwise, those of no question are each their norm's. Labels by an annotator are people's; several rows
    of one id are one pair, with the label that most of them give; a tie gives none.

    Raises:
        InputError: the file cannot be read, a column or a word is missing, or a label is no known one.
    """
    columns = COLUMNS if with_labels else COLUMNS[:2]
    rows: dict[str, list[ResponseNormPair]] = {}
    for row in read_table(path, columns):
        pair = _pair(row, with_labels=with_labels)
        rows.setdefault(pair.id, []).append(pair)
    return tuple(_together(each) for each in rows.values())


def _pair(row: DataRow, *, with_labels: bool) -> ResponseNormPair:
    def cell(name: str) -> str:
        return row.cells.get(name, "").strip()

    response, norm, question = filled(row, "response"), filled(row, "norm"), cell("question")
    text = one_of(row, "label", (*STANDS, "")) if with_labels else ""
    label = next((stand for stand in STANDS if stand == text), None)
    return ResponseNormPair(
        id=cell("id") or digest([response, norm, question, cell("model")], length=16),
        cluster=cell("cluster") or digest(normalised(question or norm)),
        response=response,
        norm=norm,
        place=find(cell("place"), where=row.where).id if cell("place") else "",
        place_name=cell("place"),
        question=question,
        model=cell("model"),
        label=label,
        origin="" if label is None else "people" if cell("annotator") else "file",
    )


def _together(rows: Sequence[ResponseNormPair]) -> ResponseNormPair:
    """One pair of all rows of an id."""
    first = rows[0]
    if any((other.response, other.norm) != (first.response, first.norm) for other in rows):
        raise InputError(f"id {first.id}: it has two responses or two norms; expected one pair an id.")
    most = Counter(row.label for row in rows if row.label is not None).most_common(2)
    tied = len(most) > 1 and most[0][1] == most[1][1]
    return (
        # In the alphabet: people go before a file, and a file before nobody.
        replace(first, label=most[0][0], origin=max(row.origin for row in rows))
        if most and not tied
        else replace(first, label=None, origin="")
    )


_UNRELATED = Seed("verifier/unrelated")
"""The same for every training: which norm is paired with an option is part of the data."""


class LabelledPairs(msgspec.Struct, frozen=True, kw_only=True):
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
    for path in sources:
        if not path.exists():
            raise InputError(f"{path}: no such file or folder; expected questions, a run, or a file of pairs.")
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
    forest = read_forest(find_files(path, "mores judge verifier"))
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
            (evaluation.folder, thing): call.case.values
            for evaluation in table.evaluations
            for call in judge_calls_of(evaluation.run, evaluation.folder)
            for _, thing in call.things()
        }
        codes = (table.truth if labels else table.judged).tolist()
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
    return hash_files(find_files(path, "mores judge verifier"))


def _licence(path: Path) -> str:
    """The licences of what a source was built from, as its manifest has them."""
    if not (path / MANIFEST).is_file():
        return NOT_KNOWN
    licences = read_manifest(path).get("licences")
    return "; ".join(sorted(set(licences.values()))) if isinstance(licences, dict) and licences else NOT_KNOWN


_BLOCK = 512


class TrainTestSplit(msgspec.Struct, frozen=True, kw_only=True):
    """Pairs to learn from, pairs of questions that are held out, and those of `left_out` models that are neither."""

    train: tuple[ResponseNormPair, ...]
    held_out: tuple[ResponseNormPair, ...]
    left_out: tuple[ResponseNormPair, ...] = ()


def split_pairs(
    pairs: Sequence[ResponseNormPair],
    share: float,
    *,
    seed: Seed,
    leave_out: str = "",
    embedder: Embedder | None = None,
) -> TrainTestSplit:
    """The pairs in their parts.

    Args:
        pairs: All of them.
        share: Part of the questions to hold out, in (0, 1).
        seed: Names the hash.
        leave_out: A model whose responses nothing is learnt from; they are tested whatever their question.
        embedder: Finds questions that nearly say the same; without it only equal words are the same.

    Raises:
        InputError: the share is out of its range, nobody of that name responded, or a part has no pairs.
    """
    if not 0 < share < 1:
        raise InputError(f"--held-out {share}: expected a share between 0 and 1.")
    groups = together(pairs, embedder)
    left = tuple(pair for pair in pairs if leave_out and pair.model == leave_out)
    rest = [pair for pair in pairs if not leave_out or pair.model != leave_out]
    held = {name for name in set(groups.values()) if seed.child("held out", name).uniform() < share}
    split = TrainTestSplit(
        train=tuple(pair for pair in rest if groups[pair.cluster] not in held),
        held_out=tuple(pair for pair in rest if groups[pair.cluster] in held),
        left_out=left,
    )
    for part, what in ((split.train, "to learn from"), (split.held_out, "held out")):
        if not part:
            raise InputError(
                f"--held-out {share}: no pair is {what} of {len(set(groups.values()))} questions that differ."
            )
    return split


def models_of(pairs: Sequence[ResponseNormPair]) -> tuple[str, ...]:
    """Names of the models that responded."""
    return tuple(sorted({pair.model for pair in pairs} - {""}))


def together(pairs: Sequence[ResponseNormPair], embedder: Embedder | None = None) -> dict[str, str]:
    """The group of each cluster: the first by name of those whose questions say the same."""
    leader: dict[str, str] = {pair.cluster: pair.cluster for pair in pairs}

    def first(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    for one, other in (*_same(pairs), *(_near(pairs, embedder) if embedder is not None else ())):
        # The first by name leads, so that the name of a group does not depend on the order of pairs.
        low, high = sorted((first(one), first(other)))
        leader[high] = low
    return {name: first(name) for name in leader}


def _same(pairs: Sequence[ResponseNormPair]) -> Iterator[tuple[str, str]]:
    seen: dict[str, str] = {}
    for pair in pairs:
        if pair.question:
            yield seen.setdefault(normalised(pair.question), pair.cluster), pair.cluster


def _near(pairs: Sequence[ResponseNormPair], embedder: Embedder) -> Iterator[tuple[str, str]]:
    asked = {pair.question: pair.cluster for pair in pairs if pair.question}
    texts = sorted(asked)
    rows = vectors_of(texts, embedder)
    for start in range(0, len(texts), _BLOCK):
        block = rows[start : start + _BLOCK] @ rows.T
        for one, other in zip(*np.nonzero(block >= NEAR), strict=True):
            yield asked[texts[start + int(one)]], asked[texts[int(other)]]
