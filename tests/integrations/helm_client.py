"""Client of HELM for the models `stand-in/…`, which say what `stand_in` says; imported in HELM's own environment."""

from typing import Any

from helm.clients.client import Client
from helm.common.request import ErrorFlags, GeneratedOutput, Request, RequestResult

from tests.integrations.stand_in import said


class StandIn(Client):
    """A model whose replies hang on the words alone; where there is none, HELM is told not to try again."""

    def __init__(self, **_: Any) -> None:
        pass

    def make_request(self, request: Request) -> RequestResult:
        """The reply to a prompt or to the last of some messages."""
        text = said(request.messages[-1]["content"] if request.messages else request.prompt)
        if text is None:
            flags = ErrorFlags(is_retriable=False, is_fatal=False)
            return RequestResult(
                success=False, cached=False, completions=[], embedding=[], error="none", error_flags=flags
            )
        completions = [GeneratedOutput(text=text, logprob=0, tokens=[])] * request.num_completions
        return RequestResult(success=True, cached=False, completions=completions, embedding=[], request_time=0)

    def tokenize(self, request: Any) -> Any:
        """Nothing: HELM has its own simple tokens."""
        raise NotImplementedError

    decode = tokenize
