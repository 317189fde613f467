"""Every Eval Ever, schema 0.3.0: one file of figures and one of answers for each model and benchmark.

result ─▶ data/mores/DEVELOPER/MODEL/UUID.json, and UUID_samples.jsonl beside it. A name that depends on the run alone
makes equal runs equal files.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from uuid import UUID

from mores.analysis.results import Result, Results
from mores.core.canary import CANARY_LINE
from mores.core.card import Metric, SubjectSettings
from mores.core.estimate import Estimate, caution_of, judge_band_of
from mores.exports import ExportedFiles
from mores.exports.samples import JsonObject, ScoredPlay, compact, describe_unsupported, plays_of
from mores.tables.missing_texts import format_caution, format_missing

VERSION = "0.3.0"
COLLECTION = "mores"
GLOBAL = frozenset({"accuracy", "f1_macro", "f1_micro"})
"""Metrics whose names mean the same everywhere; others are called `mores.NAME`."""
RESERVED = frozenset({"data", "unknown", "con", "prn", "aux", "nul"})


def every_eval_ever(results: Results) -> ExportedFiles:
    """All results as files of the datastore's layout, and what they leave out."""
    files: dict[str, bytes] = {}
    left: Counter[str] = Counter()
    for result in results.evaluations:
        files |= _files(result, left)
    note = "worst and best, place and cluster stand as text in details, which has no type for them"
    return ExportedFiles(files=files, left_out=(*describe_unsupported(left), note))


def _files(result: Result, left: Counter[str]) -> dict[str, bytes]:
    developer, model = developer_and_model(result.model)
    identity = digest_of(result)
    name = str(UUID(bytes=identity[:16], version=4))
    where = f"data/{COLLECTION}/{developer}/{model}/{name}"
    ids = {"evaluation_id": f"{COLLECTION}/{result.benchmark}/{developer}_{model}/{name}"}
    rows = [line for play in plays_of(result) for line in _answer(result, play, ids, f"{developer}/{model}", left)]
    samples = b"".join(compact(row).encode() + b"\n" for row in rows)
    whole = {
        "schema_version": VERSION,
        **ids,
        "retrieved_timestamp": str(int(datetime.fromisoformat(result.provenance.written).timestamp())),
        "source_metadata": {
            "source_name": "mores",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "model_info": _model(result, developer, model),
        "eval_library": {"name": "mores", "version": result.provenance.mores},
        "evaluation_results": [
            _figure(result, each, metric, identity) for each, metric in _carried(result, left)
        ],
    }  # fmt: skip
    if not rows:
        return {f"{where}.json": compact(whole).encode() + b"\n"}
    whole["detailed_evaluation_results"] = {
        "format": "jsonl",
        "file_path": f"{where}_samples.jsonl",
        "hash_algorithm": "sha256",
        "checksum": hashlib.sha256(samples).hexdigest(),
        "total_rows": len(rows),
    }
    return {f"{where}.json": compact(whole).encode() + b"\n", f"{where}_samples.jsonl": samples}


def digest_of(result: Result) -> bytes:
    """Digest of what tells a result from every other: its run's spec, its model and benchmark, and its figures."""
    parts = (result.provenance.spec_hash, result.model, result.benchmark, *map(repr, result.estimates))
    return hashlib.sha256("\0".join(parts).encode()).digest()


def _carried(result: Result, left: Counter[str]) -> Iterator[tuple[Estimate, Metric]]:
    """Figures that the format has a place for: a finite number of a metric with known bounds, within them."""
    for estimate in result.estimates:
        metric = result.metric(estimate.metric)
        if estimate.value is None:
            left["figures without a value"] += 1
        elif metric is None:
            left["figures of metrics that no card describes"] += 1
        elif not metric.low <= estimate.value <= metric.high:
            left["figures outside their metric's bounds"] += 1
        else:
            left["figures without an interval"] += estimate.low is None
            yield estimate, metric


def _figure(result: Result, estimate: Estimate, metric: Metric, identity: bytes) -> JsonObject:
    groups = [f"{kind}.{member}" for kind, member in estimate.group.items()]
    name = ".".join((result.benchmark.replace("/", "."), estimate.metric, *groups))
    return {
        "evaluation_result_id": hashlib.sha256(identity + name.encode()).hexdigest()[:32],
        "evaluation_name": name,
        "evaluation_timestamp": result.provenance.written,
        "source_data": {"dataset_name": result.benchmark, "source_type": "other"},
        "metric_config": {
            "metric_id": metric.name if metric.name in GLOBAL else f"mores.{metric.name}",
            "metric_name": metric.name,
            "metric_unit": "proportion" if (metric.low, metric.high) == (0.0, 1.0) else "points",
            "lower_is_better": metric.better == "lower",
            "score_type": "continuous",
            "min_score": _bound(metric.low),
            "max_score": _bound(metric.high),
            "evaluation_description": metric.says,
        },
        "score_details": {"score": estimate.value, "details": _details(result, estimate), **_uncertainty(estimate)},
        "generation_config": _generation(result),
    }


def _uncertainty(estimate: Estimate) -> JsonObject:
    counted: dict[str, object] = {"num_samples": estimate.graded}
    if estimate.low is not None and estimate.high is not None:
        ends = {"lower": estimate.low, "upper": estimate.high, "confidence_level": 0.95}
        counted["confidence_interval"] = {**ends, "method": estimate.method or "95% interval"}
    return {"uncertainty": counted}


def _details(result: Result, estimate: Estimate) -> Mapping[str, str]:
    details = {
        "asked": estimate.asked,
        "graded": estimate.graded,
        "ungraded": estimate.asked - estimate.graded,
        "worst_if_ungraded_were_wrong": estimate.worst,
        "best_if_ungraded_were_right": estimate.best,
        "simulated": result.simulated or None,
        **_counted(result, estimate),
        "no_interval_because": format_missing(estimate.missing) or None,
        **estimate.group,
    }
    return {name: str(value) for name, value in details.items() if value is not None}


def _counted(result: Result, estimate: Estimate) -> Mapping[str, object]:
    """The answers behind a figure that could not be used, its judge band, and what has to be known of it."""
    counts, figure = result.quality.counts(estimate.group), result.marked(estimate)
    caution, band = caution_of(figure), judge_band_of(figure)
    counted = (
        {name: getattr(counts, name) for name in ("cut", "unreadable", "refused", "empty")} if counts.broken else {}
    )
    ends = {} if band is None else {"judge_band_low": band.low, "judge_band_high": band.high}
    return {**counted, **ends, "caution": None if caution is None else format_caution(caution)}


def _generation(result: Result) -> JsonObject:
    protocol = result.provenance.protocol
    drawn = (protocol.subject or SubjectSettings()).over(protocol.sampling)
    thinking = drawn.told.thinking
    known = {
        "temperature": drawn.temperature,
        "top_p": drawn.top_p,
        "top_k": drawn.top_k,
        "max_tokens": protocol.answer_tokens or drawn.max_tokens,
        "reasoning": None if thinking is None else thinking != "off",
    }
    more = {"samples": str(protocol.samples), "reading": protocol.reading, **protocol.settings}
    more |= {} if thinking is None else {"thinking": str(thinking)}
    more |= {role: spec for role, spec in result.provenance.roles.items() if role != "subject"}
    return {
        "generation_args": {name: value for name, value in known.items() if value is not None},
        "additional_details": more,
    }


def _model(result: Result, developer: str, model: str) -> JsonObject:
    facts = result.provenance.facts
    details = {
        "deployment_type": "unknown",
        "model_availability": "unknown",
        "simulated": str(result.simulated).lower(),
    }
    details |= {name: value for name, value in facts.items() if value is not None}
    about = {"name": result.model, "id": f"{developer}/{model}", "developer": developer, "additional_details": details}
    return {**about, "inference_platform": result.model.partition("/")[0]}


def _answer(result: Result, play: ScoredPlay, ids: JsonObject, model: str, left: Counter[str]) -> Iterator[JsonObject]:
    """The line of a play; none where nothing of it was graded, since a score is a number there."""
    if play.score is None:
        why = "that nobody could grade" if play.verdicts else "that the headline does not count"
        left[f"answers {why}"] += 1
        return
    described = result.metric(result.headline)
    spoken = sum(turn.role != "system" for turn in play.turns)
    single = len(play.turns) == len(play.answers) + 1 == 2
    about = play.about
    metadata = {"canary": CANARY_LINE, "place": about.place, "unit": about.unit, "cluster": about.cluster,
                "reason": play.reason, "ungraded_part": play.cause,
                "finish": play.answers[-1].finish if play.answers else "", **about.groups}  # fmt: skip
    score = {"score": play.score, "is_correct": play.is_right(described.high if described else 1.0)}
    yield {
        "schema_version": VERSION,
        **ids,
        "model_id": model,
        "evaluation_name": f"{result.benchmark.replace('/', '.')}.{result.headline}",
        "sample_id": f"{play.about.item}#{play.sample}",
        "interaction_type": "single_turn" if single else "multi_turn",
        "input": {"raw": play.question, "reference": list(play.gold)},
        **({"output": _output(play)} if single else {"messages": _messages(play)}),
        "answer_attribution": [
            {
                "turn_idx": 0 if single else max(0, len(play.turns) - 1),
                "source": "output.raw" if single else "messages",
                "extracted_value": play.answer,
                "extraction_method": "exact" if play.labels else "judged",
                "is_terminal": True,
            }
        ],
        "evaluation": score if single else {**score, "num_turns": max(1, spoken)},
        "metadata": {name: value for name, value in metadata.items() if value},
    }


def _output(play: ScoredPlay) -> JsonObject:
    thought = [turn.reasoning for turn in play.answers if turn.reasoning]
    return {"raw": [turn.text for turn in play.answers], **({"reasoning_trace": thought} if thought else {})}


def _messages(play: ScoredPlay) -> list[JsonObject]:
    return [
        {"turn_idx": number, "role": "assistant" if turn in play.answers else turn.role, "content": turn.text,
         **({"reasoning_trace": turn.reasoning} if turn.reasoning else {})}
        for number, turn in enumerate(play.turns)
    ]  # fmt: skip


def developer_and_model(spec: str) -> tuple[str, str]:
    """Two names that any file system can have: who made the model and what it is called.

    >>> developer_and_model("openrouter/openai/gpt-4o"), developer_and_model("simulated/uneven:refusal=.05")
    (('openai', 'gpt-4o'), ('simulated', 'uneven-refusal-.05'))
    """
    parts = [re.sub(r"[^A-Za-z0-9._-]+", "-", part).strip(". -") or "-" for part in spec.split("/")]
    developer, model = (parts[-2], parts[-1]) if len(parts) > 1 else ("mores", parts[-1])
    return _portable(developer), _portable(model)


def _portable(name: str) -> str:
    return f"{name}-" if name.casefold().split(".")[0] in RESERVED else name


def _bound(value: float) -> float | str:
    # JSON has no infinite numbers.
    return value if abs(value) != float("inf") else ("Infinity" if value > 0 else "-Infinity")
