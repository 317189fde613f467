"""CURE in HELM: a scenario, an annotator that judges, a metric, and a run spec for each of the eight benchmarks.

Instance ─▶ HELM's completion ─▶ annotation with lines of verdicts ─▶ stats.json

HELM puts one question at a time to its models and keeps its log; words, reading, judging and figures are a run's.
HELM finds the run specs by the entry point `mores`.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from helm.benchmark.adaptation.adapter_spec import ADAPT_GENERATION, AdapterSpec
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.adaptation.scenario_state import ScenarioState
from helm.benchmark.annotation.annotator import Annotator, AnnotatorSpec
from helm.benchmark.metrics.metric import MetricInterface, MetricResult, MetricSpec, PerInstanceStats
from helm.benchmark.metrics.metric_name import MetricName
from helm.benchmark.metrics.statistic import Stat
from helm.benchmark.model_deployment_registry import get_default_model_deployment_for_model
from helm.benchmark.run_spec import RunSpec, run_spec_function
from helm.benchmark.scenarios.scenario import (
    CORRECT_TAG,
    TEST_SPLIT,
    Input,
    Instance,
    Output,
    Reference,
    Scenario,
    ScenarioSpec,
)
from helm.clients.auto_client import AutoClient
from helm.common.request import GeneratedOutput
from helm.common.request import Request as HelmRequest
from msgspec.structs import replace

from mores.core.errors import InputError
from mores.core.verdict import Graded
from mores.hosted import JUDGE, Hosted, verdicts_of
from mores.integrations.replies import figures_by_name, gold_of, grade, opened, words_of
from mores.models.budget import DEFAULT_ANSWER_TOKENS
from mores.models.logs.logged_reply import Logged, reply_of
from mores.models.request import CallFailed, Reply, Request

FAMILY = "cure"
NAMES = tuple(f"{data}_{kind}" for data in ("normad", "casa", "culturebank", "specnorm") for kind in ("thin", "thick"))
ANNOTATOR, VERDICTS = "mores", "verdicts"
"""Keys of an annotation."""


def bench_of(benchmark: str, options: dict[str, Any]) -> Hosted:
    """One of the eight with options of `mores.hosted`."""
    return opened(f"{FAMILY}/{benchmark}", **options)


class CureScenario(Scenario):
    """The items of one of the eight."""

    def __init__(self, benchmark: str, options: dict[str, Any]) -> None:
        super().__init__()
        self.bench = bench_of(benchmark, options)
        card = self.bench.evaluation.benchmark.card
        self.name, self.description, self.tags = f"mores_{FAMILY}_{benchmark}", card.measures, ["culture", "norms"]
        self.definition_path = __name__  # HELM would name a file of its own repository

    def get_instances(self, output_path: str) -> list[Instance]:  # noqa: ARG002 - nothing is downloaded
        """An instance an item, with the right label as its reference."""
        return [
            Instance(
                id=name,
                split=TEST_SPLIT,
                input=Input(text=words_of(self.bench, name)),
                references=[Reference(Output(text=gold_of(self.bench, name)), tags=[CORRECT_TAG])],
                extra_data={"place": item.about.place, **item.about.groups},
            )
            for name, item in self.bench.items.items()
        ]


class HelmJudge:
    """A caller of a model of HELM."""

    def __init__(self, client: AutoClient, model: str) -> None:
        self.client, self.model = client, model

    async def ask(self, request: Request) -> Reply:
        """The reply to a request.

        Raises:
            CallFailed: none came after HELM's own retries.
        """
        result = await asyncio.to_thread(self.client.make_request, self._in_helms_words(request))
        if not result.success or not result.completions:
            raise CallFailed("helm", str(result.error))
        return _reply(result.completions[0], self.model)

    def _in_helms_words(self, request: Request) -> HelmRequest:
        sampling, (first, *more) = request.sampling, request.messages
        chat = [{"role": each.role, "content": each.content} for each in request.messages]
        return HelmRequest(
            model=self.model,
            model_deployment=get_default_model_deployment_for_model(self.model) or self.model,
            # Not all of HELM's clients know messages.
            prompt="" if more else first.content,
            messages=chat if more else None,
            temperature=sampling.temperature or 0.0,
            max_tokens=sampling.max_tokens or DEFAULT_ANSWER_TOKENS,
            top_p=1 if sampling.top_p is None else sampling.top_p,
            # HELM's cache gives equal requests one reply; what is asked again is to be answered again.
            random=f"{request.tag.sample}/{request.tag.step}",
        )


def _reply(completion: GeneratedOutput, model: str) -> Reply:
    return reply_of(
        completion.text,
        finish=(completion.finish_reason or {}).get("reason"),
        reasoning=(completion.thinking.text or "") if completion.thinking else "",
        model=model,
    )


class CureAnnotator(Annotator):
    """Grades the completions of an instance; `prompts` are the hashes of all words, so that a log says which they were.

    Nobody is asked about a label alone; reasons are graded by the model of HELM that `judge` names.
    """

    name = ANNOTATOR

    def __init__(
        self, auto_client: AutoClient, benchmark: str, options: dict[str, Any], judge: str, prompts: dict[str, str]
    ) -> None:
        self.bench, self.prompts = bench_of(benchmark, options), prompts
        self.judges = {JUDGE: HelmJudge(auto_client, judge)} if judge else {}

    def annotate(self, request_state: RequestState) -> dict[str, Any]:
        """The verdicts on all completions, as lines of JSON.

        Raises:
            InputError: there are more or fewer completions than samples.
        """
        result, samples = request_state.result, self.bench.evaluation.setting.protocol.samples
        about = Logged(where="HELM", item=str(request_state.instance.id))
        if result.success:
            replies = [_reply(each, request_state.request.model) for each in result.completions]
            given = [replace(about, sample=number, reply=reply) for number, reply in enumerate(replies)]
        else:
            given = [replace(about, sample=number, failed=str(result.error)) for number in range(samples)]
        if len(given) != samples:
            raise InputError(f"{about.item}: HELM has {len(given)} completions; expected {samples}, as samples=K says.")
        return {VERDICTS: [line for lines in grade(self.bench, given, self.judges) for line in lines]}


class CureMetric(MetricInterface):
    """All figures of a run, the headline with its interval and groups; of each instance its mean points by task."""

    def __init__(self, benchmark: str, options: dict[str, Any]) -> None:
        self.bench = bench_of(benchmark, options)

    def evaluate(self, scenario_state: ScenarioState, *_: object, **__: object) -> MetricResult:
        """Stats of the whole, and of each instance."""
        lines = [(state.instance.id, state.annotations[ANNOTATOR][VERDICTS]) for state in scenario_state.request_states]
        figures = figures_by_name(self.bench, (line for _, own in lines for line in own))
        return MetricResult(
            aggregated_stats=[_stat(name).add(value) for name, value in figures.items()],
            per_instance_stats=[PerInstanceStats(name, None, 0, _points(own)) for name, own in lines],
        )


def _stat(name: str) -> Stat:
    return Stat(MetricName(name, split=TEST_SPLIT))


def _points(lines: list[str]) -> list[Stat]:
    stats: dict[str, Stat] = {}
    for each in verdicts_of(lines):
        if isinstance(each, Graded):
            stats.setdefault(each.task, _stat(f"{each.task}_points")).add(each.points)
    return list(stats.values())


def run_spec(benchmark: str, *, data: str, judge: str = "", **options: Any) -> RunSpec:
    """The run spec of one of the eight.

    Args:
        benchmark: Its name without the family, such as `normad_thick`.
        data: Folder or file of its data.
        judge: Model of HELM that judges, for thick ones alone.
        options: Further ones of `mores.hosted`, such as `limit`.

    Raises:
        InputError: a judge is missing, not needed or not known, an option cannot be used, or data are missing.
    """
    options = {"data": data, **options}
    bench = bench_of(benchmark, options)
    _check_judge(bench, judge)
    prompts = {each.header.name: each.sha for each in bench.evaluation.benchmark.prompts}
    args = {"benchmark": benchmark, "options": options}
    shown = {**options, "data": data.rpartition("/")[2], **({"judge": judge} if judge else {})}
    return RunSpec(
        name=f"mores_{FAMILY}_{benchmark}:" + ",".join(f"{name}={value}" for name, value in shown.items()),
        scenario_spec=ScenarioSpec(f"{__name__}.CureScenario", args),
        adapter_spec=_adapter(bench),
        metric_specs=[MetricSpec(f"{__name__}.CureMetric", args)],
        annotators=[
            AnnotatorSpec(
                f"{__name__}.CureAnnotator",
                {**args, "judge": judge, "prompts": prompts},
            )
        ],
        groups=[f"mores_{FAMILY}_{benchmark}"],
    )


def _check_judge(bench: Hosted, judge: str) -> None:
    name, needed = bench.evaluation.name, JUDGE in bench.roles
    if needed and not judge:
        raise InputError(f"{name}: a judge grades its reasons, and none is named; add judge=MODEL to the run entry.")
    if judge and not needed:
        raise InputError(f"{name}: judge={judge}, and nobody judges labels; leave judge out.")
    if judge and get_default_model_deployment_for_model(judge) is None:
        raise InputError(f"{name}: judge={judge}; expected a model of HELM's, as for model=.")


def _adapter(bench: Hosted) -> AdapterSpec:
    """The words as they are, put once, with the protocol's limits and samples."""
    protocol = bench.evaluation.setting.protocol
    words = ("instructions", "input_prefix", "input_suffix", "output_prefix", "output_suffix", "instance_prefix")
    return AdapterSpec(
        method=ADAPT_GENERATION,
        max_train_instances=0,
        # So that --max-eval-instances takes no instances away: that would cut units and places.
        max_eval_instances=len(bench.items),
        num_outputs=protocol.samples,
        temperature=protocol.sampling.temperature or 0.0,
        max_tokens=protocol.answer_tokens or DEFAULT_ANSWER_TOKENS,
        stop_sequences=[],
        **dict.fromkeys(words, ""),
    )


def _register(name: str) -> Callable[..., RunSpec]:
    register: Callable[[Callable[..., RunSpec]], Callable[..., RunSpec]] = run_spec_function(f"mores_{FAMILY}_{name}")
    return register(partial(run_spec, name))


for _name in NAMES:
    _register(_name)
