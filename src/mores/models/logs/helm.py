"""HELM's `scenario_state.json`: what was asked of each instance, and all completions.

Where references are weighed one by one, each has a request of its own, whose completion is the prompt with the
reference and has its log-likelihood; of one instance the prompt is the same, so that the greatest is of the likeliest.
Source: `helm/benchmark/adaptation/request_state.py` and `adapters/multiple_choice_separate_adapter.py`, 0.5.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping

import msgspec
from msgspec import structs

from mores.core.errors import InputError
from mores.models.logs.documents import likeliest, read_document
from mores.models.logs.logged_reply import (
    Document,
    Logged,
    LogMessage,
    Shown,
    last_user_message,
    odd_row,
    reply_of,
    shaped,
)

NAME = "HELM's scenario_state.json"
PERTURBED = "questions that a perturbation changed"
CALIBRATING = "references weighed without their question"


class _Reason(msgspec.Struct):
    reason: str | None = None


class _Thinking(msgspec.Struct):
    text: str = ""


class _Completion(msgspec.Struct):
    text: str
    logprob: object = None
    finish_reason: _Reason | None = None
    thinking: _Thinking | None = None


class _Result(msgspec.Struct):
    success: bool
    completions: list[_Completion] = []
    error: str | None = None


class _Words(msgspec.Struct, frozen=True):
    text: str = ""


class _Reference(msgspec.Struct):
    output: _Words = _Words()


class _Instance(msgspec.Struct):
    input: _Words
    id: str | None = None
    perturbation: object = None
    references: list[_Reference] = []


class _Request(msgspec.Struct):
    prompt: str = ""
    model: str = ""
    messages: list[LogMessage] | None = None


class _State(msgspec.Struct):
    instance: _Instance
    request: _Request
    result: _Result | None = None
    train_trial_index: int = 0
    reference_index: int | None = None
    request_mode: str | None = None
    output_mapping: dict[str, str] | None = None


def read_whole(whole: Mapping[str, object], where: str) -> Iterator[Logged]:
    """The replies to all instances: each completion is a draw, those of a further trial after those of the first."""
    rows = whole["request_states"]
    states = []
    for number, row in enumerate(rows if isinstance(rows, list) else [rows], start=1):
        spot = f"{where}: request state {number}"
        try:
            states.append((spot, number, shaped(row, _State, where=spot, what="a request state of HELM")))
        except InputError as error:
            yield odd_row(spot, str(error).removeprefix(f"{spot}: "))
    together: dict[object, list[_State]] = defaultdict(list)
    for *_, state in states:
        together[_weighed_as(state)].append(state)
    for spot, number, state in states:
        weighed = _weighed_as(state)
        if weighed is None:
            yield from _logged(state, number, spot)
        elif together[weighed][0] is state:
            yield _likeliest(together[weighed], number, spot)


def _weighed_as(state: _State) -> tuple[object, ...] | None:
    """Key of the references that are scored together; None of a state that stands alone."""
    if state.reference_index is None or state.instance.perturbation or state.request_mode == "calibration":
        return None
    return state.instance.id, state.instance.input.text, state.train_trial_index


def _state_row(state: _State, number: int, where: str) -> Logged:
    """Document of a state's instance."""
    instance, request = state.instance, state.request
    words = (last_user_message(request.messages or []) or request.prompt, instance.input.text)
    references = [reference.output.text for reference in instance.references]
    document = read_document({"input": instance.input.text, "references": references})
    shown = tuple(Shown(mark, text) for mark, text in (state.output_mapping or {}).items())
    return Logged(
        where=where,
        item=instance.id or f"request state {number}",
        sample=state.train_trial_index,
        asked=tuple(dict.fromkeys(word for word in words if word)),
        document=Document(document.texts, document.ids, shown or document.options),
    )


def _likeliest(states: list[_State], number: int, where: str) -> Logged:
    """The reference of one instance that has the greatest log-likelihood."""
    row = structs.replace(_state_row(states[0], number, where), asked=())  # its prompt has a reference in it
    results = [state.result for state in states]
    if not all(result and result.success and result.completions for result in results):
        return structs.replace(row, failed="not all references were weighed")
    references = states[0].instance.references
    indices = [state.reference_index or 0 for state in states]
    offered = [references[index].output.text for index in indices if 0 <= index < len(references)]
    chosen = likeliest(offered, [result.completions[0].logprob for result in results if result])
    if chosen.why_not:
        return structs.replace(row, left_out=chosen.why_not)
    return structs.replace(row, reply=reply_of(chosen.words, model=states[0].request.model), weighed=True)


def _logged(state: _State, number: int, where: str) -> Iterator[Logged]:
    row, result = _state_row(state, number, where), state.result
    left_out = PERTURBED if state.instance.perturbation else CALIBRATING if state.reference_index is not None else ""
    if left_out:
        yield Logged(where=where, item=row.item, left_out=left_out)
        return
    if result is None or not result.success or not result.completions:
        yield structs.replace(row, failed=(result.error if result else None) or "no result")
        return
    for draw, completion in enumerate(result.completions):
        reason, thought = completion.finish_reason, completion.thinking
        yield structs.replace(
            row,
            sample=state.train_trial_index * len(result.completions) + draw,
            reply=reply_of(
                completion.text,
                finish=reason.reason if reason else None,
                reasoning=thought.text if thought else "",
                model=state.request.model,
            ),
        )
