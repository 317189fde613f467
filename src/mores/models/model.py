"""The interface of a model: facts that it declares, and one reply to one request.

Nobody asks for the class of a model: what only some of them have is a fact that is empty or None with the others.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol, TypeAlias

from mores.core.card import Sampling
from mores.core.seeds import Seed
from mores.models.batch.formats import LayoutName
from mores.models.batch.queue import EndpointProfile
from mores.models.logs.logged_reply import Log, LoggedQuestion, ReplyCounts
from mores.models.request import BESIDES, PART_SEPARATOR, AnswerKey, MisfitKey, Reply, Request, Usage


class KeyedModel(Protocol):
    """Part of a model that decides the key of a request.

    `spec` is the name a person gave, `identity` what else decides its replies (an endpoint, a file's hash),
    `sealed` whether it may read the sealed key, `by_item` whether its reply depends on the item and not only on
    the words.
    """

    @property
    def spec(self) -> str: ...  # noqa: D102 - said above
    @property
    def identity(self) -> str: ...  # noqa: D102
    @property
    def reads_key(self) -> bool: ...  # noqa: D102
    @property
    def by_item(self) -> bool: ...  # noqa: D102


class BatchedCalls(Protocol):
    """Calls of a model that go into a batch: the format of its files, and what its endpoint was found to take."""

    @property
    def spec(self) -> str: ...  # noqa: D102 - said above
    @property
    def layout(self) -> LayoutName: ...  # noqa: D102
    @property
    def learnt(self) -> EndpointProfile | None: ...  # noqa: D102


class RecordedOutputs(Protocol):
    """Outputs made elsewhere that a model plays back; `log` is the log of another program that they are from."""

    @property
    def spec(self) -> str: ...  # noqa: D102 - said above
    @property
    def log(self) -> Log | None: ...  # noqa: D102

    def items(self) -> set[str]:
        """Ids of the items that they are of."""
        ...

    def count(self, benchmark: str, asked: Collection[str]) -> None:
        """Count those that are of items that a benchmark asks, for the manifest."""
        ...

    def match(self, benchmark: str, questions: Sequence[LoggedQuestion], samples: int) -> ReplyCounts:
        """Match the replies of a log with the questions of a benchmark."""
        ...

    def reply_text(self, question: LoggedQuestion) -> str | None:
        """The words of the first sample that answer a question; None where there are none."""
        ...


Similarities: TypeAlias = Callable[[Sequence[AnswerKey]], Awaitable[Sequence[Mapping[str, float]]]]
"""The cosine of each option with the name of the place, by outcome, for each question."""


class Model(KeyedModel, Protocol):
    """A model behind the door; `overhead` is what its own calls (a probe) have used and nobody has paid for yet.

    `thinks` is true where a probe saw that it does. `remarks` counts answers that were odd and are kept, by what is
    odd, and `doubts` calls whose counts of tokens were not believed, by why. `places` are codes that its spec names.
    """

    simulated: bool
    overhead: list[Usage]

    @property
    def thinks(self) -> bool: ...  # noqa: D102 - said above
    @property
    def remarks(self) -> Mapping[str, int]: ...  # noqa: D102
    @property
    def doubts(self) -> Mapping[str, int]: ...  # noqa: D102
    @property
    def places(self) -> Collection[str]: ...  # noqa: D102
    @property
    def batch(self) -> BatchedCalls | None: ...  # noqa: D102
    @property
    def recording(self) -> RecordedOutputs | None: ...  # noqa: D102
    @property
    def similarities(self) -> Similarities | None: ...  # noqa: D102

    def about(self, benchmark: str) -> Mapping[str, object]:
        """Facts of it for a run's manifest beside its identity: what was altered, learnt, matched."""
        ...

    def most_output(self, limit: int, sampling: Sampling) -> int:
        """Tokens that a reply may take where its answer is limited so."""
        ...

    async def prepare(self, sampling: Sampling, *, schema: bool = False) -> None:
        """Return once the model can be asked, by a schema too; the first time an endpoint is probed for what it takes.

        Raises:
            MoresError: it cannot be asked at all.
            CallFailed: it could not be asked just now.
        """
        ...

    async def reply(self, request: Request) -> Reply:
        """The reply to one request.

        Raises:
            CallFailed: no reply came.
            NotServed: its endpoint refuses every call by now.
        """
        ...

    async def close(self) -> None:
        """Give back connections."""
        ...


class ModelDefaults:
    """Facts of a model that declares none: most models have none of these."""

    reads_key = False
    simulated = False
    places: Collection[str] = ()
    batch: BatchedCalls | None = None
    recording: RecordedOutputs | None = None
    similarities: Similarities | None = None


class LocalModel(ModelDefaults):
    """The part of a model that needs no endpoint: nothing to prepare, nothing to pay, nothing to give back."""

    thinks = False
    remarks: Mapping[str, int] = MappingProxyType({})
    doubts: Mapping[str, int] = MappingProxyType({})

    def about(self, benchmark: str) -> Mapping[str, object]:  # noqa: ARG002 - most are the same on any
        """Nothing that is not in its name."""
        return {}

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self.overhead: list[Usage] = []

    def most_output(self, limit: int, sampling: Sampling) -> int:  # noqa: ARG002 - nothing thinks here
        """No more than the limit."""
        return limit

    async def prepare(self, sampling: Sampling, *, schema: bool = False) -> None:
        """Nothing to prepare."""

    async def close(self) -> None:
        """Nothing to give back."""


class OutcomeRespondent(LocalModel):
    """A model that answers from the sealed key, whose outcomes it picks by a rule of its own."""

    def pick(self, key: AnswerKey, rng_seed: Seed) -> str:
        """The outcome of one question."""
        raise NotImplementedError

    def misfits(self, key: MisfitKey, rng_seed: Seed) -> tuple[str, ...]:  # noqa: ARG002 - nothing else goes wrong
        """Names of what goes wrong besides."""
        return ()

    def answer(self, key: AnswerKey, rng_seed: Seed) -> tuple[str, str]:
        """Words and outcome of an answer, or of all its parts; a part has a seed of its own, by its number."""
        if not key.parts:
            outcome = self.pick(key, rng_seed)
            if not isinstance(key, MisfitKey):
                return key.ways[outcome], outcome
            wrong = self.misfits(key, rng_seed)
            words = key.ways[outcome].replace(BESIDES, "".join(key.misfits[name] for name in wrong))
            return words, PART_SEPARATOR.join((outcome, *wrong))
        reply_text = [self.answer(part, rng_seed.child("part", number)) for number, part in enumerate(key.parts)]
        return " ".join(words for words, _ in reply_text), PART_SEPARATOR.join(outcome for _, outcome in reply_text)
