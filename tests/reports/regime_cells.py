"""Results of CultureForest made by hand for tests: verdicts, words and estimates as a run leaves them."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mores.analysis.results import CardTrace, Provenance, Result, Results
from mores.benchmarks.cultureforest.analysis import FOREST_ANALYSIS, CultureForest, result_of
from mores.core.card import Protocol, Sampling
from mores.core.codec import encode, encode_lines
from mores.core.estimate import Estimate
from mores.core.transcript import ItemMetadata, Message, ReplyEvent, RequestEvent, Transcript, TranscriptEvent
from mores.core.verdict import Fault, Graded, Ungraded, Verdict, VoteSummary
from mores.runs.loading import StoredResult
from mores.tables import section_of
from mores.tables.blocks import Section

LABELS = ("satisfied", "neutral", "violated")


def evaluation(
    folder: Path,
    model: str,
    mode: str,
    verdicts: Iterable[Verdict],
    estimates: Sequence[Estimate] = (),
    *,
    said: Mapping[str, str] | None = None,
    **wished: Any,
) -> Result:
    """A finished result; `mode` is `easy`, `informed medium`, `apply` …, `said` what the model answered."""
    name, _, level = mode.partition(" ")
    own = folder / f"{abs(hash(model))}-{mode.replace(' ', '-')}"
    own.mkdir(parents=True, exist_ok=True)
    (own / "verdicts.jsonl").write_bytes(encode_lines(verdicts))
    lines = (encode(transcript(item, text)) + b"\n" for item, text in (said or {}).items())
    (own / "transcripts.jsonl").write_bytes(b"".join(lines))
    held = name in {"hard", "apply"} or level == "hard"
    traced = Provenance(
        card=CardTrace(version="1-A"),
        protocol=Protocol(sampling=Sampling(), samples=3, settings={"level": level} if level else {}),
        items=1,
        roles=wished.pop("roles", {"subject": model}),
        data=wished.pop("data", {}),
    )
    return Result(
        run=wished.pop("run", folder),
        folder=own,
        model=model,
        label=wished.pop("label", model),
        benchmark="ladder/apply" if name == "apply" else f"cultureforest/{name}",
        headline="norm_score" if held else "accuracy",
        simulated=wished.pop("simulated", False),
        estimates=tuple(estimates),
        card=None,
        provenance=traced,
        stored=StoredResult(
            folder=own,
            benchmark="ladder/apply" if name == "apply" else f"cultureforest/{name}",
            protocol=traced.protocol,
        ),
        **wished,
    )


def results(*evaluations: Result) -> Results:
    """Cells as one run's results."""
    return Results(runs=tuple(dict.fromkeys(c.run for c in evaluations)), evaluations=evaluations)


def transcript(item: str, text: str) -> Transcript:
    """One turn: the question, and an answer after some thought."""
    events: tuple[TranscriptEvent, ...] = (
        RequestEvent(role="subject", messages=(Message(role="user", content=f"Asked {item}."),), prompt="p"),
        ReplyEvent(role="subject", text=text, reasoning=f"Thought of {item}."),
    )
    return Transcript(item=item, sample=0, events=events)


def bundle(question: str) -> str:
    """The three norms that a question rests on: its own."""
    return "+".join(f"{question}.{n}" for n in (1, 2, 3))


def about(question: str, mode: str, place: str = "JP", domain: str = "family", **more: Any) -> ItemMetadata:
    """What an item of a question counts towards."""
    item = more.pop("item", f"{question}-{mode}")
    return ItemMetadata(item=item, unit=question, cluster=bundle(question), place=place,
                 groups={"domain": domain, **more.pop("groups", {})}, **more)  # fmt: skip


def easy(question: str, outcomes: Sequence[int | None], **where: Any) -> list[Verdict]:
    """A question asked several times: 1 right, 0 wrong, -1 unread, None ungraded."""
    return [closed(about(question, "easy", **where), sample, said) for sample, said in enumerate(outcomes)]


def medium(question: str, outcomes: Sequence[int | None], **where: Any) -> list[Verdict]:
    """The same of four options judged apart; where the whole is wrong, only the last is."""
    found: list[Verdict] = []
    for option in range(1, 5):
        at = about(question, "medium", item=f"{question}-medium-{option}", **where)
        found += [closed(at, sample, said if option == 4 else 1) for sample, said in enumerate(outcomes)]
    return found


def closed(at: ItemMetadata, sample: int, said: int | None) -> Verdict:
    """One verdict by the strict reading."""
    if said is None:
        return Ungraded(about=at, sample=sample, task="strict", cause="timeout", gold="true")
    fault: Fault | None = "format_error" if said == -1 else None
    return Graded(about=at, sample=sample, task="strict", points=float(said == 1), gold="true", fault=fault,
                  label=None if fault else "true" if said else "false")  # fmt: skip


def hard(
    question: str, shares: Sequence[Sequence[float] | None], *, strict: str = "no", mode: str = "hard", **where: Any
) -> list[Verdict]:
    """An open answer held against three norms, with the same shares for each sample; None where the judge failed."""
    found: list[Verdict] = []
    for number, given in enumerate(shares, start=1):
        at = about(question, mode, part=f"{question}.{number}", groups={"strictness": strict}, **where)
        found += [normed(at, sample, given) for sample in range(3)]
    return found


def normed(at: ItemMetadata, sample: int, given: Sequence[float] | None) -> Verdict:
    """A verdict on one norm, with the probability of each label."""
    if given is None:
        return Ungraded(about=at, sample=sample, task="norm", cause="judge: no verdict")
    ballot = VoteSummary(votes=1, asked=1, words=9, label_probs=dict(zip(LABELS, map(float, given), strict=True)))
    label = LABELS[int(np.argmax(given))]
    return Graded(about=at, sample=sample, task="norm", points=float(given[0]), label=label, ballot=ballot)


def norm(name: str, said: Sequence[int | None], negation: Sequence[int | None]) -> list[Verdict]:
    """A norm and its negation, each asked several times: 1 called true, 0 false, -1 unread, None ungraded."""
    found: list[Verdict] = []
    for gold, codes in (("true", said), ("false", negation)):
        at = ItemMetadata(item=f"{name}-{gold}", unit=name, cluster=name, place="JP", groups={"domain": "family"})
        for sample, code in enumerate(codes):
            found.append(_stated(at, sample, code, gold))
    return found


def _stated(at: ItemMetadata, sample: int, code: int | None, gold: str) -> Verdict:
    if code is None:
        return Ungraded(about=at, sample=sample, task="strict", cause="timeout", gold=gold)
    label = {1: "true", 0: "false"}.get(code)
    return Graded(about=at, sample=sample, task="strict", points=float(label == gold), label=label, gold=gold,
                  fault=None if label else "format_error")  # fmt: skip


def possessed(name: str) -> list[Verdict]:
    """A norm that a model possesses."""
    return norm(name, (1, 1, 1), (0, 0, 0))


def lacked(name: str) -> list[Verdict]:
    """A norm whose negation a model believes too."""
    return norm(name, (1, 1, 1), (1, 1, 1))


def section(found: CultureForest) -> Section:
    """The section of what was found."""
    return section_of(FOREST_ANALYSIS, result_of(found))
