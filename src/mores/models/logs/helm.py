"""HELM's `scenario_state.json`: what was asked of each instance, and all completions."""

from collections.abc import Iterator, Mapping

import msgspec

from mores.models.logs.row import Logged, Turn, last_asked, reply_of, shaped

NAME = "HELM's scenario_state.json"
PERTURBED = "questions that a perturbation changed"
WEIGHED = "options weighed one by one, no words"


class _Reason(msgspec.Struct):
    reason: str | None = None


class _Thinking(msgspec.Struct):
    text: str = ""


class _Completion(msgspec.Struct):
    text: str
    finish_reason: _Reason | None = None
    thinking: _Thinking | None = None


class _Result(msgspec.Struct):
    success: bool
    completions: list[_Completion] = []
    error: str | None = None


class _Input(msgspec.Struct):
    text: str = ""


class _Instance(msgspec.Struct):
    input: _Input
    id: str | None = None
    perturbation: object = None


class _Request(msgspec.Struct):
    prompt: str = ""
    model: str = ""
    messages: list[Turn] | None = None


class _State(msgspec.Struct):
    instance: _Instance
    request: _Request
    result: _Result | None = None
    train_trial_index: int = 0
    reference_index: int | None = None


def read_whole(whole: Mapping[str, object], where: str) -> Iterator[Logged]:
    """The replies to all instances: each completion is a draw, those of a further trial after those of the first.

    Raises:
        InputError: a state lacks what is read of it.
    """
    rows = whole["request_states"]
    for number, row in enumerate(rows if isinstance(rows, list) else [rows], start=1):
        spot = f"{where}: request state {number}"
        yield from _logged(shaped(row, _State, where=spot, what="a request state of HELM"), number, spot)


def _logged(state: _State, number: int, where: str) -> Iterator[Logged]:
    item = state.instance.id or f"request state {number}"
    result = state.result
    left_out = PERTURBED if state.instance.perturbation else WEIGHED if state.reference_index is not None else ""
    if left_out:
        yield Logged(where=where, item=item, left_out=left_out)
        return
    words = (last_asked(state.request.messages or []) or state.request.prompt, state.instance.input.text)
    asked = tuple(dict.fromkeys(word for word in words if word))
    if result is None or not result.success or not result.completions:
        failed = (result.error if result else None) or "no result"
        yield Logged(where=where, item=item, sample=state.train_trial_index, asked=asked, failed=failed)
        return
    for draw, completion in enumerate(result.completions):
        reason, thought = completion.finish_reason, completion.thinking
        yield Logged(
            where=where,
            item=item,
            sample=state.train_trial_index * len(result.completions) + draw,
            asked=asked,
            reply=reply_of(
                completion.text,
                finish=reason.reason if reason else None,
                reasoning=thought.text if thought else "",
                model=state.request.model,
            ),
        )
