"""Inspect's log of an evaluation, version 2: a zip of JSON, one for each model and benchmark.

result ─▶ header with figures, a file for each answer and a summary of it. It is written with the standard library, and
its bytes depend on the run alone.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from io import BytesIO
from statistics import fmean
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from mores.analysis.results import Result, Results
from mores.core.canary import CANARY_LINE
from mores.core.card import SubjectSettings
from mores.core.estimate import Estimate, judge_band_of
from mores.core.verdict import Graded
from mores.exports import ExportedFiles
from mores.exports.every_eval_ever import digest_of
from mores.exports.samples import SUBJECT, ExportedTurn, JsonObject, ScoredPlay, compact, describe_unsupported, plays_of
from mores.tables.missing_texts import format_caution, to_plain

VERSION = 2
SCORER, VALUE = "mores", "value"
STOPS = {"stop": "stop", "length": "max_tokens", "content_filter": "content_filter"}
"""Ends of a reply in Inspect's terms; it has one for all others."""


def inspect_logs(results: Results) -> ExportedFiles:
    """All results as logs, and what they leave out."""
    left: Counter[str] = Counter()
    files = {_name(result): _log(result, left) for result in results.evaluations}
    note = "clusters, methods of intervals, and worst and best of groups have no place in a log's metrics"
    return ExportedFiles(files=files, left_out=(*describe_unsupported(left), note))


def _name(result: Result) -> str:
    task = re.sub(r"[^A-Za-z0-9.-]+", "-", result.benchmark)
    at = re.sub(r"[:+]", "-", result.provenance.written)
    return f"{at}_{task}_{_id(result)}.eval"


def _id(result: Result) -> str:
    return digest_of(result).hex()[:22]


def _log(result: Result, left: Counter[str]) -> bytes:
    plays, written, models = list(plays_of(result)), result.provenance.written, result.provenance.models
    scores, counted = [*_scores(result, plays, left)], len(plays)
    headline = _headline(result, scores)
    spec = {**_eval(result, plays), **({"headline_metric": headline} if headline else {})}
    plan = {"name": "plan", "steps": [], "config": {}}
    usage = {name: _usage(each.session) for name, each in models.items()}
    head = {
        "version": VERSION,
        "status": "success",
        "eval": spec,
        "plan": plan,
        "results": {
            "total_samples": counted,
            "completed_samples": counted,
            "scores": scores,
            **({"headline": headline} if headline else {}),
        },
        "stats": {"started_at": written, "completed_at": written, "model_usage": usage},
    }
    samples = [_sample(result, play) for play in plays]
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as log:
        _put(log, "_journal/start.json", {"version": VERSION, "eval": spec, "plan": plan})
        for sample in samples:
            _put(log, f"samples/{sample['id']}_epoch_{sample['epoch']}.json", sample)
        _put(log, "summaries.json", [_summary(sample) for sample in samples])
        _put(log, "header.json", head)
    return out.getvalue()


def _put(log: ZipFile, name: str, value: object) -> None:
    # The first moment that ZIP knows, so that the bytes depend on the run alone.
    entry = ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type = ZIP_DEFLATED
    log.writestr(entry, compact(value))


def _eval(result: Result, plays: list[ScoredPlay]) -> JsonObject:
    provenance = result.provenance
    sampling = (provenance.protocol.subject or SubjectSettings()).over(provenance.protocol.sampling)
    config = {name: getattr(sampling, name) for name in ("temperature", "top_p", "top_k", "max_tokens")}
    return {
        "eval_id": _id(result),
        "run_id": provenance.spec_hash or _id(result),
        "created": provenance.written,
        "task": result.benchmark,
        "task_id": _id(result),
        # A whole number there; a card says 2-A.
        "task_version": int(re.match(r"\d*", provenance.card.version)[0] or 0),  # type: ignore[index]
        "dataset": {
            "name": result.benchmark,
            "samples": len({play.about.item for play in plays}),
            "sample_ids": list(dict.fromkeys(play.about.item for play in plays)),
        },
        "model": result.model,
        "model_generate_config": {name: value for name, value in config.items() if value is not None},
        "config": {"epochs": provenance.protocol.samples},
        "packages": {"mores": provenance.mores, **provenance.packages},
        "metadata": {
            "simulated": result.simulated,
            "canary": CANARY_LINE,
            "roles": provenance.roles,
            "seed": provenance.seed,
            **_answers(result),
        },
    }


def _answers(result: Result) -> JsonObject:
    """Counts of answers that could not be used, where any could not, and the caution on the figures."""
    caution, counts = result.quality.caution({}), result.quality.whole
    details = {"answers": to_plain(counts)} if counts.broken else {}
    return details if caution is None else {**details, "caution": format_caution(caution)}


def _scores(result: Result, plays: list[ScoredPlay], left: Counter[str]) -> Iterator[JsonObject]:
    """A score for each metric over everything, and one for each kind of group, whose metrics are its members."""
    grouped: dict[tuple[str, ...], dict[str, JsonObject]] = {}
    scored = sum(play.score is not None for play in plays)
    counts = {"scored_samples": scored, "unscored_samples": len(plays) - scored}
    for estimate in result.estimates:
        if estimate.value is None:
            left["figures without a value"] += 1
        elif estimate.group:
            left["intervals of groups"] += estimate.low is not None
            name = ", ".join(estimate.group.values())
            kind = (estimate.metric, *estimate.group)
            grouped.setdefault(kind, {})[name] = {"name": name, "value": estimate.value}
        else:
            yield _score(estimate.metric, _metrics(result.marked(estimate)), counts)
    for (metric, *kinds), members in grouped.items():
        yield _score(f"{metric} by {' and '.join(kinds)}", members, counts)


def _headline(result: Result, scores: list[JsonObject]) -> JsonObject | None:
    """Reference to the headline among the scores, which readers show first; None where it has no value."""
    named = any(score["name"] == result.headline for score in scores)
    return {"scorer": SCORER, "score": result.headline, "metric": VALUE} if named else None


def _score(name: str, metrics: Mapping[str, JsonObject], counts: Mapping[str, int]) -> JsonObject:
    return {"name": name, "scorer": SCORER, **counts, "params": {}, "metrics": metrics}


def _metrics(estimate: Estimate) -> dict[str, JsonObject]:
    band = judge_band_of(estimate)
    values = {
        VALUE: estimate.value,
        "lower": estimate.low,
        "upper": estimate.high,
        "judge_lower": None if band is None else band.low,
        "judge_upper": None if band is None else band.high,
        "worst": estimate.worst,
        "best": estimate.best,
        "asked": estimate.asked,
        "graded": estimate.graded,
    }
    return {name: {"name": name, "value": value} for name, value in values.items() if value is not None}


def _usage(usage: Mapping[str, int]) -> JsonObject:
    into, out = usage.get("input_tokens", 0), usage.get("output_tokens", 0)
    return {"input_tokens": into, "output_tokens": out, "total_tokens": into + out}


def _sample(result: Result, play: ScoredPlay) -> dict[str, object]:
    target: object = play.gold[0] if len(play.gold) == 1 else list(play.gold) or ""
    score = {"value": play.score, "answer": play.answer, "explanation": play.reason}
    graded = {**({} if play.score is None else {SCORER: score}), **_other_scores(play)}
    about = {"place": play.about.place, "unit": play.about.unit, "cluster": play.about.cluster, "part": play.about.part,
             "ungraded": play.cause, "simulated": result.simulated, **play.about.groups}  # fmt: skip
    return {
        "id": play.about.item,
        # Inspect counts epochs from 1.
        "epoch": play.sample + 1,
        "input": play.question,
        "target": target,
        "messages": [_message(turn, result.model) for turn in play.turns],
        "output": {
            "model": result.model,
            "choices": [
                {"message": _message(last, result.model), "stop_reason": STOPS.get(last.finish, "unknown")}
                for last in play.answers[-1:]
            ],
        },
        "scores": graded,
        "metadata": {name: value for name, value in about.items() if value not in {None, ""}},
        "store": {},
        "events": [],
        "model_usage": {},
        "uuid": f"{_id(result)[:12]}-{play.about.item}-{play.sample}",
        "attachments": {},
    }


def _other_scores(play: ScoredPlay) -> dict[str, JsonObject]:
    """Other grades, a score a task: the mean of its points where it was graded several times."""
    found: dict[str, list[Graded]] = {}
    for verdict in play.other_verdicts:
        if isinstance(verdict, Graded):
            found.setdefault(verdict.task, []).append(verdict)
    words = {task: own[0] for task, own in found.items() if len(own) == 1}
    return {
        task: {
            "value": fmean(verdict.points for verdict in own),
            "answer": (words[task].label or "") if task in words else "",
            "explanation": words[task].reason if task in words else "",
        }
        for task, own in found.items()
    }


def _message(turn: ExportedTurn, model: str) -> JsonObject:
    """A turn as a message; whoever is neither system nor subject speaks as a user, with the role before the words."""
    if turn.role == SUBJECT:
        thought = [{"type": "reasoning", "reasoning": turn.reasoning}] if turn.reasoning else []
        content: object = [*thought, {"type": "text", "text": turn.text}] if thought else turn.text
        return {"role": "assistant", "content": content, "source": "generate", "model": model}
    if turn.role in {"system", "user"}:
        return {"role": turn.role, "content": turn.text}
    return {"role": "user", "content": f"{turn.role}: {turn.text}"}


def _summary(sample: Mapping[str, object]) -> JsonObject:
    kept = ("id", "epoch", "input", "target", "metadata", "scores", "model_usage", "uuid")
    return {name: sample[name] for name in kept} | {"completed": True}
