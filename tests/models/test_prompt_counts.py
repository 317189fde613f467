"""Prompts that a server cut are told by its own counts; an honest tokenizer of any language is never doubted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.transcript import Message
from mores.models.request import Reply, Usage
from mores.models.usage_checks import FEW, PromptCounts
from tests.models.clients import request
from tests.models.listener import Heard, Say, completion, listening
from tests.models.test_chat_endpoint import chat

SENTENCES = {
    "English": "I would bring a small gift, since guests there are expected to show that they thought of the house. ",
    "German": "Ich würde ein kleines Geschenk mitbringen, weil man dort von Gästen Aufmerksamkeit erwartet. ",
    "Swahili": "Ningeleta zawadi ndogo, kwa kuwa wageni huko wanatarajiwa kuonyesha kwamba walifikiria nyumba. ",
    "Japanese": "手土産を持って行くのがよいと思います。そこでは客が家のことを考えたことを示すのが普通だからです。",
    "Georgian": "მცირე საჩუქარს მივიტანდი, რადგან იქ სტუმრისგან ელიან, რომ ოჯახზე იფიქრა. ",
    "Hindi": "मैं एक छोटा उपहार ले जाता, क्योंकि वहाँ मेहमानों से ऐसी अपेक्षा की जाती है। ",
    "Russian": "Я бы принёс небольшой подарок, так как там от гостей ждут внимания к дому. ",
    "looping": "internationalization internationalization internationalization ",
    "ruled": "Name ------------------------------------------------ Place\n",
}
DENSEST = {
    "English": 5.0, "German": 4.6, "Swahili": 3.3, "Japanese": 1.6, "Georgian": 3.2, "Hindi": 3.4, "Russian": 4.0,
    "looping": 10.5, "ruled": 8.0,
}  # fmt: skip
"""Signs a token of the best tokenizers of today, or a little more than they have."""
LEAST = {"looping": 6.0, "ruled": 2.0}


def of(words: str) -> tuple[Message, ...]:
    return (Message(role="user", content=words),)


def cut(counts: PromptCounts, words: str, tokens: int, *, cached: int = 0) -> int:
    """How many prompts are doubted by a call with these words and this count."""
    return counts.cut(Usage(input=tokens, output=1, cached=cached), of(words), len(words.encode()) + 150)


prompts = st.lists(
    st.tuples(st.sampled_from(sorted(SENTENCES)), st.integers(1, 120), st.floats(0, 1), st.booleans()),
    min_size=1, max_size=30,
)  # fmt: skip


@given(prompts)
def test_an_honest_tokenizer_is_never_doubted_whatever_languages_are_mixed(
    asked: list[tuple[str, int, float, bool]],
) -> None:
    counts = PromptCounts()
    for number, (language, sentences, luck, apart) in enumerate(asked):
        words = SENTENCES[language] * sentences
        signs = LEAST.get(language, 1.0) + luck * (DENSEST[language] - LEAST.get(language, 1.0))
        tokens = int(len(words) / signs) + 12 + number  # no two alike at the most
        cached = tokens * 9 // 10 if apart else 0
        assert cut(counts, words, tokens - cached, cached=cached) == 0


def test_equal_prompts_of_equal_counts_are_not_doubted() -> None:
    counts = PromptCounts()
    assert not any(cut(counts, SENTENCES["English"] * 40, 900) for _ in range(50))


@pytest.mark.parametrize("language", sorted(set(SENTENCES) - {"looping", "ruled"}))
@pytest.mark.parametrize("window", [512, 2_050])
def test_prompts_of_many_lengths_with_one_count_were_cut_in_any_language(language: str, window: int) -> None:
    counts, doubted, were = PromptCounts(), 0, 0
    sentence, signs = SENTENCES[language], 0.9 * DENSEST[language]
    for sentences in range(1, 10 * window // len(sentence), max(1, window // 200)):
        whole = int(len(sentence) * sentences / signs)
        doubted += cut(counts, sentence * sentences, min(whole, window))
        were += whole > window
    assert were >= 4
    assert doubted >= were - 4
    assert doubted <= were + 1  # one may just fill it


@pytest.mark.parametrize(("kept", "doubted"), [(1.0, False), (0.6, True), (0.3, True)])
def test_a_prompt_with_fewer_tokens_than_its_words_has_lost_some(kept: float, *, doubted: bool) -> None:
    words = SENTENCES["English"] * 60
    assert bool(cut(PromptCounts(), words, int(kept * len(words) / 4.6))) is doubted


def test_a_model_of_long_tokens_is_held_against_its_own_short_prompts() -> None:
    counts = PromptCounts()
    for sentences in range(4, 12):
        assert not cut(counts, SENTENCES["English"] * sentences, int(100 * sentences / 6.4))
    assert not cut(counts, SENTENCES["English"] * 60, int(6_000 / 6.6))
    assert cut(counts, SENTENCES["English"] * 60, int(6_000 / 10))


def test_what_was_cut_is_doubted_told_and_estimated() -> None:
    def answer(heard: Heard) -> Say:
        tokens = min(len(heard.body) * 10 // 44, 1_026)
        return Say(completion("True").replace(b'"prompt_tokens": 5', b'"prompt_tokens": %d' % tokens))

    asked = [request(SENTENCES["English"] * sentences) for sentences in range(5, 125, 5)]
    with listening(answer) as listener:
        found, model = chat(listener.url, *asked)
    estimated = [reply.usage.estimated for reply in found if isinstance(reply, Reply)]
    cuts = sum(len(each.messages[0].content) > 4_600 for each in asked)
    assert model.doubts[FEW] in {cuts - 1, cuts, cuts + 1}
    assert estimated[:8] == [False] * 8
    assert estimated[-4:] == [True] * 4
