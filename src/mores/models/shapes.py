"""Messages in the shape that a chat template takes, where it does not take those of the request."""

from collections.abc import Iterable, Iterator

from mores.core.transcript import Message
from mores.models.error_messages import ALTERNATING, NO_SYSTEM, USER_FIRST

OPENING = "(The conversation begins.)"
"""What the user says first where a template wants a turn of the user's before one of the model's."""
SAYS = {
    NO_SYSTEM: "system words put before the user's first words, since the endpoint takes no system role",
    ALTERNATING: "neighbouring turns of one role joined, since the endpoint wants roles that alternate",
    USER_FIRST: f"a first turn of the user's added, {OPENING}, since the endpoint wants one",
}
"""What is altered by each shape, in words."""


def shaped(messages: tuple[Message, ...], shape: frozenset[str]) -> tuple[Message, ...]:
    r"""The messages in a shape; all of their words stay, in their order.

    >>> rules, asked = Message(role="system", content="Be kind."), Message(role="user", content="Who pours?")
    >>> [message.content for message in shaped((rules, asked), frozenset({NO_SYSTEM}))]
    ['Be kind.\n\nWho pours?']
    """
    if NO_SYSTEM in shape:
        messages = tuple(_as_users(messages))
        messages = tuple(_joined(messages, {"user"} if ALTERNATING not in shape else set()))
    if USER_FIRST in shape:
        messages = tuple(_begun(messages))
    return tuple(_joined(messages, {"system", "user", "assistant"})) if ALTERNATING in shape else messages


def _as_users(messages: tuple[Message, ...]) -> Iterator[Message]:
    """With what the system says, said by the user."""
    for message in messages:
        yield Message(role="user", content=message.content) if message.role == "system" else message


def _begun(messages: tuple[Message, ...]) -> Iterator[Message]:
    """With a turn of the user's before the first of the model's."""
    begun = False
    for message in messages:
        if not begun and message.role == "assistant":
            yield Message(role="user", content=OPENING)
        begun = begun or message.role != "system"
        yield message


def _joined(messages: Iterable[Message], roles: set[str]) -> Iterator[Message]:
    """With neighbours of one of these roles as one turn, a blank line between."""
    last: Message | None = None
    for message in messages:
        if last is not None and last.role == message.role and message.role in roles:
            last = Message(role=last.role, content=f"{last.content}\n\n{message.content}")
            continue
        if last is not None:
            yield last
        last = message
    if last is not None:
        yield last
