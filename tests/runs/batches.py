"""A provider of batches: it answers files of requests, in its own layout, as the stand-in endpoint answers calls."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from tests.endpoint import Endpoint

Row = dict[str, Any]
KNOW, JUDGED = ("ladder/know",), ("ladder/know", "ladder/explain")
_direct = build_opener(ProxyHandler({}))


def asked(endpoint: Endpoint, *more: object, of: Sequence[str] = KNOW, model: str = "vllm/test") -> list[object]:
    """What is typed to ask a model on the stand-in endpoint."""
    return ["run", *of, "--model", model, "--judge", model, "--base-url", endpoint.url, "--limit", 4, *more]


def waves(folder: Path, number: int) -> list[Path]:
    """The files of one wave."""
    return sorted(folder.glob(f"wave-{number}-*"))


def answers(endpoint: Endpoint, files: Iterable[Path]) -> list[Row]:
    """A row of results for each request in some files, in the layout of the file."""
    return [_answer(endpoint, row) for file in files for row in requests(file)]


def requests(file: Path) -> Iterator[Row]:
    """The requests in a file."""
    text = file.read_text(encoding="utf-8")
    yield from json.loads(text)["requests"] if file.suffix == ".json" else map(json.loads, text.splitlines())


def write(path: Path, rows: Iterable[Row]) -> Path:
    """A file of results."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def expired(row: Row) -> Row:
    """What OpenAI says of a request that came too late."""
    error = {"code": "batch_expired", "message": "This request could not be executed in time."}
    return {"id": "b", "custom_id": row["custom_id"], "response": None, "error": error}


def _answer(endpoint: Endpoint, row: Row) -> Row:
    if "params" in row:
        said = _post(endpoint, _of_anthropic(row["params"]))["body"]
        return {"custom_id": row["custom_id"], "result": {"type": "succeeded", "message": _as_anthropic(said)}}
    if "request" in row:
        return {"key": row["key"], "response": _as_gemini(_post(endpoint, _of_gemini(row["request"]))["body"])}
    return {"id": "b", "custom_id": row["custom_id"], "response": _post(endpoint, row["body"]), "error": None}


def _post(endpoint: Endpoint, body: Row) -> Row:
    sent = Request(f"{endpoint.url}/chat/completions", json.dumps(body).encode())
    try:
        with _direct.open(sent, timeout=10) as answer:
            return {"status_code": 200, "body": json.loads(answer.read())}
    except HTTPError as error:
        with error:
            return {"status_code": error.code, "body": json.loads(error.read())}


def _of_anthropic(params: Row) -> Row:
    system = [{"role": "system", "content": params["system"]}] if "system" in params else []
    return {**params, "messages": [*system, *params["messages"]]}


def _as_anthropic(body: Row) -> Row:
    usage, choice = body["usage"], body["choices"][0]
    return {
        "model": body["model"],
        "stop_reason": {"stop": "end_turn", "length": "max_tokens"}[choice["finish_reason"]],
        "content": [{"type": "text", "text": choice["message"]["content"]}],
        "usage": {"input_tokens": usage["prompt_tokens"], "output_tokens": usage["completion_tokens"]},
    }


def _of_gemini(request: Row) -> Row:
    config = request["generation_config"]
    schema = config.get("response_json_schema")
    return {
        "model": "test",
        "messages": [
            {"role": {"model": "assistant"}.get(each["role"], each["role"]), "content": each["parts"][0]["text"]}
            for each in request["contents"]
        ],
        "max_tokens": config.get("max_output_tokens"),
        **({} if schema is None else {"response_format": {"type": "json_schema", "json_schema": {"schema": schema}}}),
    }


def _as_gemini(body: Row) -> Row:
    usage, choice = body["usage"], body["choices"][0]
    return {
        "modelVersion": body["model"],
        "candidates": [
            {
                "finishReason": {"stop": "STOP", "length": "MAX_TOKENS"}[choice["finish_reason"]],
                "content": {"role": "model", "parts": [{"text": choice["message"]["content"]}]},
            }
        ],
        "usageMetadata": {
            "promptTokenCount": usage["prompt_tokens"], "candidatesTokenCount": usage["completion_tokens"],
        },
    }  # fmt: skip
