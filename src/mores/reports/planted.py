"""Simulated answers in words: the planted competence of simulated respondents and the rules of baselines."""

from mores.core.errors import InputError
from mores.models.registry import is_simulated
from mores.models.simulated import PlantedCompetence, parse_planted

_RULES = {
    "random": "picks one of the possible answers at random; it does not read the question",
    "always-true": "always answers yes; it does not read the question",
    "similarity": (
        "gives the option whose embedding is nearest to that of the place's name; it does not read the question"
    ),
    "first": "always gives the first possible answer; it does not read the question",
}
_ALWAYS = ("know", "judge", "explain", "apply", "converse", "live")
_IF_ANY = {"format_error": "unusable answers", "refusal": "refusals", "failure": "calls that break"}


def describe_simulated(spec: str) -> str | None:
    """Origin of the answers of a simulated model or a baseline; None for a real model."""
    if spec.startswith("baseline/"):
        rule = _RULES.get(spec.removeprefix("baseline/").partition(":")[0])
        return f"A baseline: it {rule}." if rule else "A baseline, not a language model."
    if not is_simulated(spec):
        return None
    try:
        return _format_planted(parse_planted(spec))
    except InputError:
        return "Answered from the sealed key with planted competence that this version of mores does not know."


def _format_planted(planted: PlantedCompetence) -> str:
    base = planted.base
    knows = ", ".join(f"{rung} {_percent(getattr(base, rung))}" for rung in _ALWAYS)
    flaws = ", ".join(
        f"{_percent(share)} {words}" for name, words in _IF_ANY.items() if (share := float(getattr(base, name))) > 0
    )
    alike: dict[str, list[str]] = {}
    for place, kinds in sorted(planted.places.items()):
        alike.setdefault(_kinds(kinds), []).append(place)
    places = "; ".join(f"{told} in {', '.join(members)}" for told, members in alike.items())
    return (
        f"No model was asked. Each question is known with a planted probability ({knows}); what is known is acted on "
        f"with {_percent(base.apply_known)} from apply upwards; what is not known is guessed uniformly, so shares lie "
        f"above the planted ones{f'; {flaws} are planted' if flaws else ''}."
        f"{f' Other probabilities at some places: {places}.' if places else ''}"
    )


def _kinds(kinds: dict[str, float]) -> str:
    if len(kinds) == len(_ALWAYS) and len(set(kinds.values())) == 1:
        return f"{_percent(next(iter(kinds.values())))} throughout"
    return ", ".join(f"{kind.replace('_', ' ')} {_percent(share)}" for kind, share in kinds.items())


def _percent(share: float) -> str:
    return f"{100 * share:g}%"
