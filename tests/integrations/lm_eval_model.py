"""lm-eval's command line with the model `stand-in`, which says what `stand_in` says; for lm-eval's own environment."""

from typing import Any

from lm_eval.__main__ import cli_evaluate
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model

from tests.integrations.stand_in import said


@register_model("stand-in")
class StandIn(LM):
    """A model whose replies hang on the words alone, empty where there is none: so the harness takes a null."""

    def __init__(self, **_: Any) -> None:
        super().__init__()

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
        """The replies."""
        return [said(request.args[0]) or "" for request in requests]

    def loglikelihood(self, requests: Any, disable_tqdm: bool = False) -> Any:
        """Nothing: no task here asks for it."""
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


if __name__ == "__main__":
    cli_evaluate()
