"""Messages are written as any JSON, however often they were met."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from mores.core.transcript import Message
from mores.models.request_body import LONG, common, written

contents = st.text(max_size=5) | st.sampled_from(["x" * LONG, 'say "ü"\n' * LONG])
chats = st.lists(st.builds(Message, role=st.sampled_from(["system", "user"]), content=contents), max_size=4).map(tuple)


@given(chats)
def test_messages_are_written_as_one_list(messages: tuple[Message, ...]) -> None:
    assert [written(messages) for _ in range(2)] == [msgspec.json.encode(messages)] * 2


@given(chats)
def test_only_a_long_message_that_others_follow_is_a_common_beginning(messages: tuple[Message, ...]) -> None:
    first = common(messages)
    assert (first is not None) == (len(messages) > 1 and len(messages[0].content) >= LONG)
    assert first in (None, *messages[:1])
