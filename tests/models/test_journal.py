"""The journal remembers what was said, by what was asked."""

import asyncio
import hashlib
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from mores.core.errors import InputError, StorageError
from mores.core.transcript import Message
from mores.models.journal import AT_LEISURE, ENOUGH, IN_COMPANY, LATEST, Journal, request_key
from mores.models.journal_file import JournalRow
from mores.models.journal_reader import EarlierJournal, read_entries
from mores.models.request import CallFailed, Reply, Request, Usage
from tests.models.clients import FIXED, KEY, RANDOM, Script, ask_all, at_door, passing, request, said, texts
from tests.models.clock import Clock, run

MODEL = Script()
paragraphs = st.lists(st.sampled_from(["", "a", "b\n", "ü" * 1100, "long " * 300])).map("\n\n".join)
messages = st.builds(Message, role=st.sampled_from(["system", "user", "assistant"]), content=paragraphs)
chats = st.lists(messages, min_size=1, max_size=4)
long_words = st.text(max_size=20) | st.text(min_size=1, max_size=3).map(lambda part: part * 200)


def with_journal(path: Path, use: Callable[[Journal], Awaitable[None]]) -> None:
    async def go() -> None:
        journal = Journal(path)
        try:
            await use(journal)
        finally:
            journal.close()

    asyncio.run(go())


async def write(journal: Journal, number: int, *, seconds: float) -> None:
    asked = request(f"Question {number}", item=f"i-{number}")
    await journal.write(request_key(MODEL, asked), asked, structs.replace(said(), seconds=seconds))


def test_what_was_asked_once_is_not_asked_again(tmp_path: Path) -> None:
    model = Script(said("True"), said("False"))
    first = at_door(tmp_path, model, ask_all(request()))
    again = at_door(tmp_path, model, ask_all(request(), request()))
    assert texts(first) + texts(again) == ["True", "True", "True"]
    assert model.asked.total() == 1


@given(
    long_words,
    st.builds(
        Reply,
        text=long_words,
        reasoning=long_words,
        finish=st.sampled_from(["stop", "length"]),
        refusal=st.booleans(),
        usage=st.builds(Usage, input=st.integers(0, 9), output=st.integers(0, 9), estimated=st.booleans()),
        logprobs=st.none() | st.lists(st.tuples(st.text(max_size=3), st.floats(-9, 0)), max_size=2).map(tuple),
    ),
)
def test_replies_and_words_come_back_as_they_went_in(
    tmp_path_factory: pytest.TempPathFactory, words: str, reply: Reply
) -> None:
    path = tmp_path_factory.mktemp("journal") / "journal.sqlite"
    asked = request(words, item="i", role="judge", step=3, sample=2)

    async def write(journal: Journal) -> None:
        key = request_key(MODEL, asked)
        assert journal.find(key) is None
        await journal.write(key, asked, reply)
        assert journal.find(key) == reply

    with_journal(path, write)
    (entry,) = read_entries(path)
    assert (entry.tag, entry.messages, entry.reply) == (asked.tag, asked.messages, reply)


def test_replies_that_took_long_are_committed_together_and_sooner_where_one_took_none(tmp_path: Path) -> None:
    async def use(journal: Journal) -> None:
        slow = [asyncio.create_task(write(journal, n, seconds=5.0)) for n in range(5)]
        for _ in range(3):
            await asyncio.sleep(0)
        assert not any(task.done() for task in slow)
        await write(journal, 5, seconds=0.0)
        assert all(task.done() for task in slow)
        slow = [asyncio.create_task(write(journal, n, seconds=5.0)) for n in range(6, 9)]
        await asyncio.gather(*slow)

    with_journal(tmp_path / "journal.sqlite", use)
    assert len(list(read_entries(tmp_path / "journal.sqlite"))) == 9


@pytest.mark.parametrize(("apart", "most"), [(0.001, 8), (0.2, 1)])
def test_replies_wait_for_company_while_many_come_and_for_nobody_while_few_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, apart: float, most: int
) -> None:
    clock, sizes, waited = Clock(), list[int](), list[float]()
    store = Journal._store

    def counted(
        journal: Journal, parts: dict[bytes, str], replies: dict[bytes, JournalRow], failures: list[Any]
    ) -> None:
        sizes.append(len(replies))
        store(journal, parts, replies, failures)

    monkeypatch.setattr(Journal, "_store", counted)

    async def one(journal: Journal, number: int) -> None:
        await asyncio.sleep(number * apart)
        began = clock()
        await write(journal, number, seconds=0.05)
        waited.append(clock() - began)

    async def all_of_them() -> None:
        journal = Journal(tmp_path / "journal.sqlite")
        await asyncio.gather(*(one(journal, number) for number in range(3 * LATEST)))
        journal.close()

    run(all_of_them(), clock)
    assert sum(sizes) == 3 * LATEST
    assert max(sizes) <= most
    assert sizes[-2] >= most // 2
    assert max(waited) <= IN_COMPANY * 0.05 + 0.001


def test_nobody_waits_on_once_there_is_company_enough(tmp_path: Path) -> None:
    async def go() -> None:
        journal = Journal(tmp_path / "journal.sqlite")
        await asyncio.gather(*(write(journal, number, seconds=60.0) for number in range(LATEST)))
        began = clock()
        await asyncio.gather(*(write(journal, number, seconds=60.0) for number in range(LATEST, LATEST + ENOUGH)))
        assert clock() == began
        journal.close()

    clock = Clock()
    run(go(), clock)


def test_what_was_waiting_when_a_run_broke_off_is_kept(tmp_path: Path) -> None:
    async def use(journal: Journal) -> None:
        waiting = asyncio.create_task(write(journal, 0, seconds=5.0))
        await asyncio.sleep(0)
        waiting.cancel()

    with_journal(tmp_path / "journal.sqlite", use)
    assert len(list(read_entries(tmp_path / "journal.sqlite"))) == 1


def test_replies_that_nobody_waits_for_are_in_the_file_once_it_is_closed_and_let_others_go_on(tmp_path: Path) -> None:
    mind, asked = Script(), [request(f"Question {n}", item=f"i-{n}") for n in range(1_000)]
    turns = 0

    async def use(journal: Journal) -> None:
        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        beside = asyncio.create_task(other())
        for each in asked:
            await journal.write_lazily(request_key(mind, each), each, said())
        beside.cancel()

    with_journal(tmp_path / "journal.sqlite", use)
    assert len(list(read_entries(tmp_path / "journal.sqlite"))) == 1_000
    assert turns >= 1_000 // AT_LEISURE


def test_words_that_many_calls_share_are_stored_once(tmp_path: Path) -> None:
    shared = "A long rule of the house. " * 400
    asked = [
        Request(messages=(Message(role="system", content=shared), *request(f"Question {n}").messages), sampling=FIXED,
                tag=request(item=f"i-{n}").tag)
        for n in range(50)
    ]  # fmt: skip
    at_door(tmp_path, Script(), ask_all(*asked))
    entries = list(read_entries(tmp_path / "journal.sqlite"))
    assert [entry.messages[0].content for entry in entries] == [shared] * 50
    assert (tmp_path / "journal.sqlite").stat().st_size < 10 * len(shared)


def test_long_paragraphs_that_many_calls_share_are_stored_once(tmp_path: Path) -> None:
    norms = "\n".join(f"Many people there do what is asked of them in case {n}." for n in range(300))
    asked = [request(f"You watch a day.\n\n{norms}\n\nWhat happened at step {n}\n\n", item=f"i-{n}") for n in range(50)]
    at_door(tmp_path, Script(), ask_all(*asked))
    entries = {entry.tag.item: entry.messages for entry in read_entries(tmp_path / "journal.sqlite")}
    assert entries == {one.tag.item: one.messages for one in asked}
    assert (tmp_path / "journal.sqlite").stat().st_size < 10 * len(norms)


@given(chats, st.booleans())
def test_a_journal_has_the_messages_of_any_chat(
    tmp_path_factory: pytest.TempPathFactory, chat: list[Message], twice: bool
) -> None:
    path = tmp_path_factory.mktemp("journal") / "journal.sqlite"
    asked = [structs.replace(request(item=f"i-{n}"), messages=tuple(chat)) for n in range(1 + twice)]

    async def write(journal: Journal) -> None:
        for number, one in enumerate(asked):
            await journal.write(bytes([number]), one, said())

    with_journal(path, write)
    assert [entry.messages for entry in read_entries(path)] == [one.messages for one in asked]


@given(chats, st.sampled_from([(), ("yes", "no")]), st.none() | st.just('{"type": "object"}'))
def test_a_key_is_the_hash_of_the_whole_request_however_often_its_beginning_was_met(
    chat: list[Message], labels: tuple[str, ...], schema: str | None
) -> None:
    asked = structs.replace(request(sampling=RANDOM, sample=3), messages=tuple(chat), labels=labels, schema=schema)
    whole = [MODEL.spec, MODEL.identity, chat, RANDOM, schema, 3, "i-1", None, *([labels] if labels else [])]
    expected = hashlib.blake2b(msgspec.json.encode(whole), digest_size=16).digest()
    assert [request_key(MODEL, asked) for _ in range(2)] == [expected] * 2


def same(one: Request, other: Request, model: Script = MODEL) -> bool:
    return request_key(model, one) == request_key(model, other)


def test_at_temperature_nought_the_words_alone_decide() -> None:
    assert same(request(item="i"), request(item="j", role="judge", step=4))
    assert not same(request("one"), request("two"))
    assert not same(request(sample=0), request(sample=1))
    assert not same(request(), structs.replace(request(), schema="{}"))
    assert not same(request(), request(sampling=structs.replace(FIXED, max_tokens=9)))
    assert not same(request(), structs.replace(request(), messages=(Message(role="system", content="Is it so?"),)))


def test_where_sampling_is_random_each_item_has_its_own_draw(tmp_path: Path) -> None:
    assert not same(request(item="i", sampling=RANDOM), request(item="j", sampling=RANDOM))
    assert same(request(item="i", sampling=RANDOM), request(item="i", sampling=RANDOM))
    model = Script(said("True"), said("False"))
    asked = [request(item=item, sampling=RANDOM) for item in ("i", "j", "i", "j")]
    assert texts(at_door(tmp_path, model, ask_all(*asked))) == ["True", "False", "True", "False"]
    assert model.asked.total() == 2


def test_message_boundaries_count() -> None:
    def of(*contents: str) -> Request:
        return structs.replace(request(), messages=tuple(Message(role="user", content=words) for words in contents))

    assert len({request_key(MODEL, of(*words)) for words in (("ab", "c"), ("a", "bc"), ("abc",), ("a", "b", "c"))}) == 4


def test_other_models_and_other_endpoints_have_other_keys() -> None:
    assert request_key(Script(identity="http://a/v1"), request()) != request_key(
        Script(identity="http://b/v1"), request()
    )
    assert request_key(Script(spec="vllm/a"), request()) != request_key(Script(spec="vllm/b"), request())


def test_the_sealed_key_of_a_real_model_is_in_no_key_and_no_journal(tmp_path: Path) -> None:
    sealed = structs.replace(
        request(), key=structs.replace(KEY, truth="secret-truth", unit="secret-unit", ways={"x": "secret-way"})
    )
    assert same(request(), sealed)
    at_door(tmp_path, Script(said(), passing()), ask_all(sealed, structs.replace(sealed, tag=request(sample=1).tag)))
    for path in tmp_path.iterdir():
        assert b"secret" not in path.read_bytes()


def test_a_model_that_reads_the_sealed_key_has_it_in_its_own() -> None:
    simulated = Script()
    simulated.reads_key = True
    assert not same(
        structs.replace(request(), key=KEY),
        structs.replace(request(), key=structs.replace(KEY, truth="false")),
        simulated,
    )


def test_failures_are_logged_and_never_answer(tmp_path: Path) -> None:
    model = Script(passing("http 500"), passing("time-out"), CallFailed("http 400", "no"), said("True"))
    (first,) = at_door(tmp_path, model, ask_all(request()))
    assert isinstance(first, CallFailed)
    assert texts(at_door(tmp_path, model, ask_all(request()))) == ["True"]

    async def look(journal: Journal) -> None:
        assert journal.failures() == {"http 400": 1, "http 500": 1, "time-out": 1}

    with_journal(tmp_path / "journal.sqlite", look)


def test_an_earlier_journal_is_read_and_never_written(tmp_path: Path) -> None:
    at_door(tmp_path, Script(said("True")), ask_all(request()))
    path = tmp_path / "journal.sqlite"
    before = path.read_bytes()
    earlier = EarlierJournal(path)
    found = earlier.find(request_key(MODEL, request()))
    assert found is not None
    assert found.text == "True"
    assert earlier.find(b"none") is None
    earlier.close()
    assert path.read_bytes() == before


@pytest.mark.parametrize("version", [4, 99])
def test_a_journal_of_another_version_is_refused(tmp_path: Path, version: int) -> None:
    path = tmp_path / "journal.sqlite"
    at_door(tmp_path, Script(said("True")), ask_all(request()))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    for read in (Journal, EarlierJournal):
        with pytest.raises(InputError, match=rf"journal\.sqlite: journal of version {version}; this mores reads"):
            read(path)


def test_a_damaged_journal_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    path, model = tmp_path / "journal.sqlite", Script(said("True"))
    at_door(tmp_path, model, ask_all(*(request("x" * 3_000, item=f"i-{n}", sample=n) for n in range(20))))
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + bytes(4_096) + whole[middle + 4_096 :])
    with pytest.raises(StorageError, match=r"journal\.sqlite: damaged \("):
        Journal(path)


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(b"these are my notes, not a database; " * 200)
    with pytest.raises(InputError, match=r"journal\.sqlite: not a journal"):
        Journal(path)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be"):
        Journal(tmp_path / "none" / "journal.sqlite")


def columns(path: Path) -> list[tuple[str, bytes]]:
    """Items and keys of a journal's replies, in their order."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT item, key FROM replies ORDER BY rowid").fetchall()


@pytest.mark.parametrize(
    "change",
    ["DELETE FROM keys", "DELETE FROM keys WHERE last < 5", "DROP TABLE keys", "VACUUM",
     "UPDATE replies SET id = id + 1000", "DELETE FROM replies WHERE item = 'i-19'"],
)  # fmt: skip
def test_where_the_index_is_not_what_the_rows_say_the_rows_are_believed(tmp_path: Path, change: str) -> None:
    path, asked = tmp_path / "journal.sqlite", [request(f"Question {n}", item=f"i-{n}") for n in range(20)]
    at_door(tmp_path, Script(said("kept")), ask_all(*asked))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(change)
    kept = len(columns(path))
    model = Script(said("new"))
    assert texts(at_door(tmp_path, model, ask_all(*asked))) == ["kept"] * kept + ["new"] * (20 - kept)
    assert len({key for _, key in columns(path)}) == len(columns(path)) == 20


def test_a_reply_that_is_written_twice_stands_there_once(tmp_path: Path) -> None:
    path, asked = tmp_path / "journal.sqlite", request()
    key = request_key(MODEL, asked)

    async def use(journal: Journal) -> None:
        await asyncio.gather(journal.write(key, asked, said("first")), journal.write(key, asked, said("second")))
        with closing(Journal(path)) as beside:
            await beside.write(key, asked, said("third"))
            await beside.write(bytes(16), asked, said("other"))
        await journal.write(bytes(16), asked, said("late"))
        assert [getattr(journal.find(each), "text", None) for each in (key, bytes(16))] == ["first", "other"]

    with_journal(path, use)
    assert [entry.reply.text for entry in read_entries(path)] == ["first", "other"]
