"""What the world makes of wishes: who does what, and who talks with whom.

sight and wishes ─▶ deeds, the possible ones, and waits for the others ─▶ the target's conversation. It is pure: the
order in which minds answered makes no difference.
"""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import UNSET

from mores.core.transcript import ActionEvent
from mores.worlds.town.actions import Action, AvailableActions, UnparsedAction, offer_of, refusal
from mores.worlds.town.day import Day, Observation
from mores.worlds.town.menus import menu
from mores.worlds.town.stage import DayConfig, standing_of


class Intention(NamedTuple):
    """Somebody's wish, or why there is none, with what else came with it."""

    who: int
    wish: Action | UnparsedAction
    raw: str = ""
    reasoning: str = ""
    planted: str | None = None
    cut: bool = False


class StepOutcome(NamedTuple):
    """What the world makes of everybody's wishes: what each did, and who talks with the target, the opener first.

    `message` is what is texted, where that is how they talk.
    """

    deeds: tuple[ActionEvent, ...]
    party: tuple[int, ...] = ()
    phone: bool = False
    message: str = ""


def resolve(stage: DayConfig, day: Day, sight: Observation, minds: Sequence[Intention]) -> StepOutcome:
    """Wishes made upon one sight, put into effect in the order of the people's numbers, the target's first.

    An impossible wish becomes a wait. Who addresses the target finds it talking only if it does not walk away and
    talks with nobody else; the first of them by number opens the conversation.
    """
    ordered = sorted(minds, key=lambda mind: (mind.who != stage.target, mind.who))
    deeds = tuple(_deed(stage, day, sight, mind) for mind in ordered)
    own = deeds[0]
    match own.deed:
        case "talk" | "call":
            return StepOutcome(deeds, (stage.target, *own.to), own.deed == "call")
        case "text":
            return StepOutcome(deeds, (stage.target, *own.to), True, own.argument or own.how)
        case "go":
            return StepOutcome(deeds)
        case "do" if served := _served(stage, own, sight.choices):
            return StepOutcome(deeds, (stage.target, *served))
    addressed = [did.who for did in deeds[1:] if did.deed == "talk" and stage.target in did.to]
    return StepOutcome(deeds, (addressed[0], stage.target)) if addressed else StepOutcome(deeds)


def _served(stage: DayConfig, did: ActionEvent, choices: AvailableActions) -> tuple[int, ...]:
    """Whom an action of the menu makes somebody speak with: who was named and is here, else the first who is here."""
    offer = offer_of(Action(deed="do", action=did.action), choices)
    if offer is None or not offer.talks:
        return ()
    here = [person for person in choices.present if person not in {did.who, stage.target}]
    return tuple(person for person in did.to if person in here)[:3] or tuple(here[:1])


def _deed(stage: DayConfig, day: Day, sight: Observation, mind: Intention) -> ActionEvent:
    wish = mind.wish if isinstance(mind.wish, Action) else Action(deed="wait")
    why = mind.wish.why if isinstance(mind.wish, UnparsedAction) else refusal(wish, _choices(stage, day, sight, mind))
    done = Action(deed="wait") if why else wish
    return ActionEvent(
        step=day.step,
        minute=day.minute,
        who=mind.who,
        deed=done.deed,
        where=day.where,
        action=done.action,
        argument=done.argument,
        to=done.to,
        how=done.how,
        refused=why,
        raw=mind.raw if why else "",
        reasoning=mind.reasoning,
        planted=mind.planted,
        cut=True if mind.cut else UNSET,
    )


def _choices(stage: DayConfig, day: Day, sight: Observation, mind: Intention) -> AvailableActions:
    """What somebody can do: the target all it sees; those in its sight speak, do what is offered to them, or wait."""
    if mind.who == stage.target:
        return sight.choices
    here, present = stage.location(day.where), (stage.target, *sight.present)
    offers = menu(here.kind, standing_of(stage.resident(mind.who), here))
    return AvailableActions(neighbours=(), present=present, offers=offers, contacts=(stage.target,))
