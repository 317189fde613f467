"""Simulated respondents, which answer from the answer key with planted competence, and the papers' baselines.

Knowledge is drawn once per person and unit (a question, a norm over its rungs); who does not know guesses uniformly
among the outcomes; a share of answers is unusable. An answer in parts is known or guessed part by part, and unusable as
a whole. They make the main job run anywhere, and they let the harness be tested as an instrument: what was planted must
be recovered within its intervals. A baseline answers from the key's list of outcomes and never from its truth.
"""

from functools import cached_property

from msgspec import UNSET, Struct, field, structs
from msgspec.structs import replace

from mores.core.codec import field_names
from mores.core.errors import InputError, UnknownName
from mores.core.seeds import Seed
from mores.models.label_logprobs import NO_LOGPROBS, Cost, scored
from mores.models.model import OutcomeRespondent
from mores.models.request import AlarmKey, AnswerKey, BundleKey, CallFailed, MisfitKey, Reply, Request, Usage
from mores.models.simulated_judge import (
    JudgeKey,
    SimulatedJudgement,
    VerdictNoise,
    simulated_judgement,
    unjudgeable,
    verdict_tokens,
    weigh_verdict,
)

UNUSABLE = "It depends on many things, and I would rather not put it in one word."


class Competence(Struct, frozen=True, kw_only=True):
    """Planted probabilities; `know` … `live` are the chance to know a unit at that rung.

    `apply_known` is the chance to act on what is known, for the rungs from *apply* upwards; `give_way` the part of it
    that full pressure takes away; `false_alarm` the chance to object to what goes against no norm; `misfit` the chance
    that a deed in town does not fit one side of the person, the situation, or what went before; `thinking` the part of
    what is not known that comes to mind when a run asks for thinking; `by_norms` the share of questions on several
    norms that are answered from these alone, by who knows each of them and acts on it, where others are known as one;
    `courtesy` the share of what is known that is still known where the place is masked; `informed` the part of what is
    not known that is known once it is told with the question; `polite` the chance that who does not know does what
    plain courtesy would do, where the question has that, and does not guess; `format_error` the share of unusable ones,
    `refusal` of refusals, `failure` of calls that break as a network would; `wording` is the most that words of a
    prompt can take from what is known; `local` and `english` are the shares of what is known that are known too where
    a question that is asked in several languages is put in that of the place, and in English. The last five are a
    judge's: see `judging.say_verdicts`.
    """

    know: float = 0.8
    judge: float = 0.7
    explain: float = 0.6
    apply: float = 0.6
    converse: float = 0.5
    live: float = 0.5
    apply_known: float = 0.85
    give_way: float = 0.4
    false_alarm: float = 0.15
    misfit: float = 0.05
    thinking: float = 0.0
    by_norms: float = 0.0
    courtesy: float = 0.5
    informed: float = 0.9
    polite: float = 0.0
    format_error: float = 0.01
    refusal: float = 0.0
    failure: float = 0.0
    wording: float = 0.0
    local: float = 1.0
    english: float = 1.0
    sensitivity: float = 0.9
    specificity: float = 0.9
    noise: float = 0.1
    gullible: float = 0.0
    steady: float = 0.6


RUNGS = ("know", "judge", "explain", "apply", "converse", "live")
ACTING = frozenset({"apply", "converse", "live"})

PRESETS: dict[str, tuple[Competence, dict[str, dict[str, float]]]] = {
    "typical": (Competence(), {}),
    "expert": (Competence(know=0.97, judge=0.94, explain=0.92, apply=0.9, converse=0.88, live=0.85,
                          apply_known=0.97, false_alarm=0.03, misfit=0.01,
                          format_error=0.002, sensitivity=0.97, specificity=0.97), {}),
    "novice": (Competence(know=0.35, judge=0.3, explain=0.25, apply=0.2, converse=0.2, live=0.15,
                          apply_known=0.6, false_alarm=0.3, misfit=0.15,
                          format_error=0.05, sensitivity=0.75, specificity=0.75), {}),
    "uneven": (Competence(), {place: dict.fromkeys(RUNGS, 0.25)
                              for place in ("BD", "ET", "ID", "IR", "LB", "MA", "NG", "NP", "PE", "WS", "ZW")}),
    "polite": (Competence(know=0.0, judge=0.0, explain=0.0, apply=0.0, converse=0.0, live=0.0, polite=1.0, courtesy=1.0,
                          give_way=1.0, false_alarm=0.0, misfit=0.0, format_error=0.0), {}),
    "judge": (Competence(), {}),
    "tempter": (Competence(), {}),
}  # fmt: skip


class PlantedCompetence(Struct, frozen=True, kw_only=True, dict=True):
    """All that is planted in one simulated person: a base, and what differs by place."""

    name: str
    base: Competence
    places: dict[str, dict[str, float]] = field(default_factory=dict)
    person: str = "0"

    @cached_property
    def _looked_up(self) -> dict[tuple[str, str | None], float]:
        """Chances that were looked up before, in no copy of it."""
        return {}

    def chance(self, what: str, place: str | None) -> float:
        """Planted probability of one kind at one place; parts of a country take their country's."""
        key = (what, place)
        known = self._looked_up.get(key)
        if known is None:
            known = self._looked_up[key] = self._chance(what, place)
        return known

    def _chance(self, what: str, place: str | None) -> float:
        for name in (place, place.split("-")[0]) if place else ():
            if what in self.places.get(name, {}):
                return self.places[name][what]
        return float(getattr(self.base, what))

    def knows_chance(self, key: AnswerKey) -> float:
        """Probability that this person gets the unit right by knowing (and, from *apply* on, acting on it)."""
        chance = self.chance(key.rung, key.place)
        if key.control == "told":
            chance += self.chance("informed", key.place) * (1.0 - chance)
        if key.rung in ACTING:
            chance *= self.chance("apply_known", key.place)
        return chance * (1.0 - key.pressure * self.chance("give_way", key.place)) if key.pressure else chance

    @property
    def thoughtful(self) -> "PlantedCompetence":
        """The same person when it thinks before it answers."""
        base = self._raised({rung: getattr(self.base, rung) for rung in RUNGS}, self.base.thinking)
        places = {
            place: kinds | self._raised(kinds, self.chance("thinking", place)) for place, kinds in self.places.items()
        }
        return replace(self, base=structs.replace(self.base, **base), places=places)

    @staticmethod
    def _raised(kinds: dict[str, float], thinking: float) -> dict[str, float]:
        return {kind: chance + thinking * (1.0 - chance) for kind, chance in kinds.items() if kind in RUNGS}


def parse_planted(spec: str) -> PlantedCompetence:
    """Competence that a spec such as `simulated/typical:know=.7,JP.know=.4,NG=.5,person=2` plants.

    `PLACE.kind=p` sets one probability at one place, `PLACE=p` all its rungs, `person` whose seed is used.

    Raises:
        InputError: an unknown preset or parameter, or a probability outside 0–1.
    """
    name, _, settings = spec.removeprefix("simulated/").partition(":")
    if name not in PRESETS:
        raise UnknownName("simulated respondent", name, PRESETS, todo="List them: mores list models.")
    base, places = PRESETS[name]
    planted = PlantedCompetence(name=name, base=base, places={place: dict(kinds) for place, kinds in places.items()})
    for setting in filter(None, settings.split(",")):
        planted = _with(planted, setting.strip(), spec)
    return planted


def _with(planted: PlantedCompetence, setting: str, spec: str) -> PlantedCompetence:
    name, _, text = setting.partition("=")
    if name == "person":
        return replace(planted, person=text)
    value = _probability(text, setting, spec)
    place, _, kind = name.rpartition(".")
    known = field_names(Competence)
    if not place and kind in known:
        return replace(planted, base=structs.replace(planted.base, **{kind: value}))
    kinds: tuple[str, ...] = (kind,)
    if not place and kind.isupper():
        place, kinds = kind, RUNGS
    elif kind not in known:
        raise UnknownName("parameter", kind, known, where=spec)
    table = {**planted.places, place: {**planted.places.get(place, {}), **dict.fromkeys(kinds, value)}}
    return replace(planted, places=table)


def _probability(text: str, setting: str, spec: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise InputError(f"{spec}: '{setting}' is no setting; expected NAME=PROBABILITY with 0 to 1, as in know=.7.")
    return value


class Simulated(OutcomeRespondent):
    """A simulated respondent; the same seed, person and item give the same words."""

    reads_key = True
    by_item = True
    simulated = True

    def __init__(self, spec: str, seed: Seed, planted: PlantedCompetence | None = None) -> None:
        super().__init__(spec)
        self.planted = parse_planted(spec) if planted is None else planted
        self.places = tuple(self.planted.places)
        # The thoughtful one is that itself: it would else make another without end.
        self._thoughtful = Simulated(spec, seed, self.planted.thoughtful) if planted is None else self
        self._rng_seed = seed.child("simulated", self.planted.name, self.planted.person)
        self.identity = f"simulated.v1 {seed.path}"

    async def reply(self, request: Request) -> Reply:
        """Words of the planted outcome; of a judge, its verdicts on what is planted, or the labels' probabilities.

        Raises:
            CallFailed: the request has no sealed key, or a planted failure struck.
            InputError: a judge is asked about the answer of a real subject, which has nothing planted.
        """
        key = request.key
        if key is None:
            if request.tag.role.startswith("judge"):
                raise unjudgeable(request)
            raise CallFailed("no sealed key", "a simulated model answers only what a benchmark prepared for it")
        tag = request.tag
        rng_seed = self._rng_seed.child(tag.role, tag.item, tag.step, tag.sample)
        failure = self.planted.chance("failure", key.place)
        if failure and rng_seed.child("failure").uniform() < failure:
            raise CallFailed("simulated failure")
        if request.labels:
            return self._weighed(key, request, rng_seed)
        answer = self._simulated_text(key, request, rng_seed)
        usage = Usage(input=_tokens(sum([len(m.content) for m in request.messages])), output=_tokens(len(answer.words)))
        spelt = None
        if request.sampling.logprobs and isinstance(key, JudgeKey) and answer.chances:  # other words have no chances
            spelt = verdict_tokens(key, answer, rng_seed.child("spelt"))
        return Reply(
            text=answer.words,
            refusal=answer.outcomes == ("refusal",),
            usage=usage,
            logprobs=spelt,
            model=self.spec,
            planted=", ".join(answer.outcomes),
        )

    def _simulated_text(self, key: AnswerKey, request: Request, rng_seed: Seed) -> SimulatedJudgement:
        """Text of a reply, and the outcomes that were meant."""
        outcome = self._slip(key, request, rng_seed)
        if outcome is not None:
            return SimulatedJudgement("" if outcome == "refusal" else UNUSABLE, (outcome,), ())
        if isinstance(key, JudgeKey):
            return self._verdicts(key, request)
        person = self._thoughtful if request.sampling.thinking_room else self
        words, outcome = person.answer(key, rng_seed)
        return SimulatedJudgement(words, (outcome,), ())

    def _weighed(self, key: AnswerKey, request: Request, rng_seed: Seed) -> Reply:
        """Log-probabilities of the labels; no words are drawn, so none can be unusable."""
        outcome = self._verdicts(key, request).outcomes[0] if isinstance(key, JudgeKey) else self.pick(key, rng_seed)
        sums = weigh_verdict(key, outcome, request.labels, self.planted.chance("noise", key.place))
        usage = Usage(input=_tokens(sum(len(m.content) for m in request.messages)))
        return structs.replace(scored(request.labels, sums, Cost(usage, self.spec, 0.0)), planted=outcome)

    def _slip(self, key: AnswerKey, request: Request, rng_seed: Seed) -> str | None:
        """Fault of a whole reply, if any; a judge at temperature 0 slips in all draws on a thing or none."""
        if isinstance(key, JudgeKey) and not request.sampling.random:
            rng_seed = self._rng_seed.child(request.tag.role, request.tag.item, request.tag.step, 0)
        slip = rng_seed.child("slip").uniform()
        # One draw for both, so that a reply has one fault at most.
        broken = self.planted.chance("format_error", key.place)
        if slip < broken:
            return "format_error"
        return "refusal" if slip < broken + self.planted.chance("refusal", key.place) else None

    def _verdicts(self, key: JudgeKey, request: Request) -> SimulatedJudgement:
        """A judge's verdicts: the same when it is asked again for the form's sake, so the step is left out."""
        tag = request.tag
        rng_seed = self._rng_seed.child("verdict", key.unit, tag.role, tag.item)
        noise = VerdictNoise(rng_seed.child(0), rng_seed.child("draw", tag.sample) if request.sampling.random else None)
        return simulated_judgement(key, lambda kind: self.planted.chance(kind, key.place), noise)

    def pick(self, key: AnswerKey, rng_seed: Seed) -> str:
        """The truth if it is known, else a guess; with an objection besides where a false alarm is planted.

        Who is polite guesses among what courtesy leaves open.
        """
        calm = key.alarmed if isinstance(key, AlarmKey) else None
        outcomes = list(key.ways if calm is None else calm)
        if key.courteous is not UNSET and self._falls("polite", key):
            outcomes = list(key.courteous)
        outcome = key.truth if self._is_known(key) else outcomes[rng_seed.child("guess").below(len(outcomes))]
        return outcome if calm is None or not self._falls("false_alarm", key) else calm[outcome]

    def _is_known(self, key: AnswerKey) -> bool:
        understood = self._understood(key)
        if isinstance(key, BundleKey) and self._falls("by_norms", key):
            norms = self.planted.chance("know", key.place) * understood
            return self._falls("apply_known", key) and all(self._knows(norm, norms) for norm in key.norms)
        return self._knows(key.unit, self.planted.knows_chance(key) * understood)

    def _knows(self, unit: str, chance: float) -> bool:
        # One draw a unit, held against the chance of each rung: who knows it where that is hard knows it elsewhere.
        return self._rng_seed.child("knows", unit).uniform() < chance

    def _falls(self, what: str, key: AnswerKey) -> bool:
        """True if something planted holds of a unit."""
        return self._rng_seed.child(what, key.unit).uniform() < self.planted.chance(what, key.place)

    def _understood(self, key: AnswerKey) -> float:
        """The share of what is known that comes out in these words: each wording takes its own part of `wording`.

        Without the place the courtesy alone is left of it; each language has its own share.
        """
        most = self.planted.chance("wording", key.place)
        worded = 1.0 - most * self._rng_seed.child("wording", key.wording).uniform() if most else 1.0
        if key.language is not UNSET:
            asked = "english" if key.language.partition("-")[0] == "en" else "local"
            worded *= self.planted.chance(asked, key.place)
        return worded * self.planted.chance("courtesy", key.place) if key.control == "masked" else worded

    def misfits(self, key: MisfitKey, rng_seed: Seed) -> tuple[str, ...]:
        """Names of what goes wrong besides, each by itself as often as planted."""
        chance = self.planted.chance("misfit", key.place)
        return tuple(name for name in key.misfits if rng_seed.child("misfit", name).uniform() < chance)


def _tokens(characters: int) -> int:
    return -(-characters // 4)


def describe_planted(name: str) -> str:
    """Competence planted in a respondent, in a line."""
    base, places = PRESETS[name]
    competence = ", ".join(f"{rung} {getattr(base, rung):.2g}" for rung in RUNGS[:2])
    lower = f"; {places[next(iter(places))]['know']:.2g} in {', '.join(places)}" if places else ""
    if name == "polite":
        return "simulated answers of somebody who knows no norm and is merely polite: where the ladder begins"
    if name == "tempter":
        return "presses the subject in dialogues and town episodes: an antagonist or a supporter"
    if name == "judge":
        return "judges by what was planted in the answers of simulated models only"
    return f"simulated answers with planted knowledge: {competence}{lower}"


BASELINES = ("always-true", "first", "random")


class Baseline(OutcomeRespondent):
    """A respondent that looks at nothing: `random`, `always-true` or `first`."""

    reads_key = True
    by_item = True

    def __init__(self, spec: str, seed: Seed) -> None:
        super().__init__(spec)
        self.rule = spec.removeprefix("baseline/")
        if self.rule not in BASELINES:
            raise UnknownName("baseline", self.rule, BASELINES, todo="List them: mores list models.")
        self._rng_seed = seed.child("baseline", self.rule)
        self.identity = f"baseline.v1 {seed.path}"

    async def reply(self, request: Request) -> Reply:
        """Words of the outcome that the rule picks, of each part of an answer that has several.

        Raises:
            CallFailed: the request has no list of outcomes.
            InputError: `always-true` is put to questions without a yes.
        """
        key = request.key
        if key is None:
            raise CallFailed("no sealed key", "a baseline answers only closed questions")
        if request.labels:
            raise CallFailed(NO_LOGPROBS, "a baseline says words, and has no probabilities of labels")
        tag = request.tag
        words, outcome = self.answer(key, self._rng_seed.child(tag.role, tag.item, tag.step, tag.sample))
        return Reply(text=words, model=self.spec, planted=outcome)

    def pick(self, key: AnswerKey, rng_seed: Seed) -> str:
        """The outcome that the rule picks."""
        outcomes = list(key.ways)
        if self.rule == "first":
            return outcomes[0]
        if self.rule == "random":
            return outcomes[rng_seed.below(len(outcomes))]
        if key.affirmative is None:
            raise InputError("baseline/always-true: these questions have no true or yes; use baseline/first.")
        return key.affirmative
