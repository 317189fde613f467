"""Thinking is known by the marks of any family, marks of templates are no words, and a real answer is never eaten."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.completion import read_reply
from mores.models.logs.logged_reply import reply_of
from mores.models.marks import MarkedText, ThinkTags, spoken
from mores.models.openai import ChatEndpoint
from mores.models.registry import Connection, open_model
from mores.models.request import Reply
from tests.models.clients import Script, at_door, put, request, said
from tests.models.listener import Say, completion, listening

BLOCKS = (
    "<think>{}</think>",
    "<thinking>{}</thinking>",
    "<THINK>{}</THINK>",
    "<thought>{}</thought>",
    "<thoughts>{}</thoughts>",
    "<reasoning>{}</reasoning>",
    "<seed:think>{}</seed:think>",
    "<think time='1'>{}</think>",
    "<longcat_think>{}</longcat_think>",
    "<scratchpad>{}</scratchpad>",
    "[THINK]{}[/THINK]",
    "◁think▷{}◁/think▷",
    "<|START_THINKING|>{}<|END_THINKING|>",
    "<|begin_of_thought|>{}<|end_of_thought|>",
    "<|think|>{}<|/think|>",
    "<|channel>thought\n{}<channel|>",
    "<unused94>thought\n{}<unused95>",
    "<|inner_prefix|>{}<|inner_suffix|>",
    "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>",
    "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>",
    "analysis{}assistantfinal",
    "Here is my thought process:\n{}\n\nHere is my response:\n",
    "Here's my thought process: {}\nHere's my response: ",
)
THOUGHT = "A or B? Surely the first."


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("between", ["", "\n\n"])
def test_thinking_in_any_familys_marks_is_kept_apart_live_and_in_logs(block: str, between: str) -> None:
    words = f"{block.format(THOUGHT)}{between}B"
    live = read_reply(completion(words), 0.0)
    assert (live.text, live.reasoning) == ("B", THOUGHT)
    assert reply_of(words) == Reply(text="B", reasoning=THOUGHT)


@pytest.mark.parametrize("block", [block for block in BLOCKS if "esponse" not in block and "final" not in block])
def test_thinking_that_was_cut_is_no_answer(block: str) -> None:
    opening = block.partition("{}")[0]
    assert spoken(f"{opening}{THOUGHT}")[:2] == ("", THOUGHT)


@pytest.mark.parametrize(
    "closing", ["</think>", "</thinking>", "[/THINK]", "◁/think▷", "<|END_THINKING|>", "<channel|>"]
)
def test_thinking_that_the_prompt_began_ends_at_its_mark(closing: str) -> None:
    assert spoken(f"{THOUGHT}{closing}\nB")[:2] == ("B", THOUGHT)


@pytest.mark.parametrize(
    ("words", "text", "thinking"),
    [
        ("<think>a</think>\n<think>b</think>\nB", "B", "a\n\nb"),
        ("Okay.\n<think>a</think>\nB", "B", "Okay.\n\na"),
        ("Hello! <think>sad?</think> How are you?", "Hello! How are you?", "sad?"),
        ("B\n<think>but wait", "B", "but wait"),
        ("<think>a</think><answer>B</answer>", "B", "a"),
        ("<answer>\nB\n</answer>", "B", ""),
        ("<response>B</response>", "B", ""),
        ("<thought>Is it <answer>A</answer>?</thought><answer>B</answer>", "B", "Is it <answer>A</answer>?"),
        ("<think>a <think>b</think> c</think>B", "B", "a <think>b\n\nc"),
        ("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>B<|END_RESPONSE|>", "B", "a"),
        ("<|im_start|>assistant\n<think>\na\n</think>\n\nB<|im_end|>", "B", "a"),
        ("<|channel|>analysis<|message|>a", "", "a"),
        ("analysisWe think", "", "We think"),
    ],
)
def test_blocks_are_told_from_what_stands_round_them(words: str, text: str, thinking: str) -> None:
    assert spoken(words)[:2] == (text, thinking)


@pytest.mark.parametrize("mark", ["<think>", "[THINK]", "a <think>b</think>", "</think>", "<answer>", " </s>"])
def test_a_mark_that_is_said_without_end_is_read_to_its_end(mark: str) -> None:
    found = spoken(f"Yes\n{mark * 20_000}")  # minutes, were each of them held against all behind it
    assert len(found.text + found.thinking) <= len(mark) * 20_000 + 4


@pytest.mark.parametrize("blank", ["\n", " ", "\n "])
@pytest.mark.parametrize("before", ["Here is my thought process:", "<answer>", "<think>a</think><answer>", "B<s>"])
def test_a_run_of_blanks_is_read_to_its_end(before: str, blank: str) -> None:
    assert "x" in "".join(spoken(f"{before}{blank * 50_000}x")[:2])


@pytest.mark.parametrize(
    "words",
    [
        "assistant\nYes",
        "Assistant: Yes",
        "ASSISTANT: Yes",
        "**Assistant:** Yes",
        "AI: Yes",
        "model\nYes",
        "[/INST] Yes",
        "<|im_start|>assistant\nYes",
        "<|im_start|>assistant\nYes<|im_end|>",
        "Yes<|eot_id|>",
        "Yes <|end|>",
        "<s> Yes</s>",
        "<|start_header_id|>assistant<|end_header_id|>\n\nYes<|eot_id|>",
        "Yes</s></s>",
        "Yes<|endoftext|>",
        "<bos>Yes<eos>",
        "<start_of_turn>model\nYes<end_of_turn>",
        "Yes<end_of_turn>\n<start_of_turn>user\nAnd you?",
        "### Response:\nYes",
        "### Response: Yes",
        "### Assistant: Yes",
        "<think/>Yes",
        "<think />\n\nYes",
        "<｜Assistant｜>Yes<｜end▁of▁sentence｜>",
        "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>Yes<|END_OF_TURN_TOKEN|>",
        "[|assistant|]Yes[|endofturn|]",
        "<|assistant|>\nYes",
        "<|start_of_role|>assistant<|end_of_role|>Yes<|end_of_text|>",
        "Yes<|im_end|>\n<|im_start|>user\nAnd now?",
        "Yes [/INST]",
    ],
)
def test_what_a_template_leaves_round_an_answer_is_taken_off(words: str) -> None:
    assert spoken(words) == MarkedText("Yes", marked=True)
    assert reply_of(words).text == "Yes"


@pytest.mark.parametrize(
    "words",
    [
        "Assistant",
        "assistant",
        "model",
        "Model T is a car.",
        "The assistant: a helper",
        "Assistants: many",
        "### Response times are long",
        "Say <answer>B</answer>",
        "<answer>A</answer> or <answer>B</answer>",
        "Bot or not",
        "Final answer: B",
        "Finally, B",
        "final\nB",
        "Analysis of the text shows B",
        "analysis: B",
        "Here is my list:\n- B",
        "This is <s>wrong</s>",
        "Some <think>s in the middle",
        "a < b and b > c",
        "I think [1] that",
        "<b>B</b>",
        "AI is good",
        "I would use f <| x",
        "[INST] asks",
        "Model: a Ford",
        "",
        " ",
        "commentary",
        "# Response",
        "Thought: none",
        "Use </p> here",
        "a [THINK] b",
        "gpt4 says B",
    ],
)
def test_a_real_answer_is_never_eaten(words: str) -> None:
    assert spoken(words) == MarkedText(words)


@given(st.text(alphabet="<>|/[]◁▷ \nthinkassistantA:B", max_size=40))
def test_reading_twice_finds_no_more_words_and_none_are_made_up(words: str) -> None:
    found = spoken(words)
    assert set(found.text + found.thinking) <= set(words) | {" ", "\n"}


TAGS = ThinkTags("<plan>", "</plan>")


@pytest.mark.parametrize(
    ("words", "text", "thinking"),
    [
        ("<plan>a</plan>B", "B", "a"),
        ("<plan>a</plan>B<plan>c</plan>", "B", "a\n\nc"),
        ("a</plan>B", "B", "a"),
        ("<plan>cut", "", "cut"),
        ("B", "B", ""),
        ("<plan>a</plan><think>b</think>B", "B", "a\n\nb"),
    ],
)
def test_marks_that_a_run_names_count_beside_the_known_ones(words: str, text: str, thinking: str) -> None:
    assert spoken(words, TAGS)[:2] == (text, thinking)


@pytest.mark.parametrize("typed", ["<plan>", ",", "<plan>,", "a,b,c", "x,x"])
def test_what_are_not_two_marks_is_refused(typed: str) -> None:
    with pytest.raises(InputError, match="expected OPEN,CLOSE"):
        ThinkTags.of(typed)
    assert ThinkTags.of("<plan>, </plan>") == TAGS
    assert ThinkTags.of(None) is None


@pytest.mark.parametrize(("tags", "thinks"), [(TAGS, True), (None, False)])
def test_the_probe_sees_thinking_between_named_marks_and_leaves_it_room(
    tags: ThinkTags | None, *, thinks: bool
) -> None:
    async def go(url: str) -> ChatEndpoint:
        model = open_model("vllm/test", Seed("test"), Connection(base_url=url, think_tags=tags))
        assert isinstance(model, ChatEndpoint)
        await put(model, request())
        await model.close()
        return model

    with listening(lambda _: Say(completion("<plan>Hm.</plan>True"))) as listener:
        assert asyncio.run(go(listener.url)).thinks is thinks


def test_replies_of_a_journal_are_read_by_marks_that_were_named_later(tmp_path: Path) -> None:
    script = Script(said("<plan>Hm.</plan>True"))
    assert at_door(tmp_path, script, lambda door: door.ask(request())).text == "<plan>Hm.</plan>True"

    async def again(door: object) -> Reply:
        door.think_tags = TAGS  # type: ignore[attr-defined]
        return await door.ask(request())  # type: ignore[attr-defined, no-any-return]

    reply = at_door(tmp_path, script, again)
    assert (reply.text, reply.reasoning, script.asked.total()) == ("True", "Hm.", 1)


PART = {"type": "text", "text": "B"}


@pytest.mark.parametrize(
    "message",
    [
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, PART]},
        {
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "x"},
                PART,
                {"type": "reference", "text": "no"},
            ]
        },
        {"content": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]}, PART]},
        {"content": [{"type": "reasoning", "reasoning": "Hm."}, {"type": "output_text", "text": "B"}]},
        {"content": [{"text": "Hm.", "thought": True}, {"text": "B"}]},
        {"content": ["B"], "thinking": "Hm."},
        {"content": "B", "reasoning_content": "Hm."},
        {"content": "B", "reasoning": "Hm."},
        {"content": "B", "thinking": "Hm."},
        {"content": "B", "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]},
        {
            "content": "B",
            "reasoning_details": [
                {"type": "reasoning.encrypted", "data": "x"},
                {"type": "reasoning.summary", "summary": "Hm."},
            ],
        },
        {"content": "B", "thinking_blocks": [{"type": "thinking", "thinking": "Hm."}]},
    ],
)
def test_thinking_in_parts_and_fields_is_kept_apart(message: dict[str, object]) -> None:
    content = message.pop("content")
    reply = read_reply(completion(content, **message), 0.0)  # type: ignore[arg-type]
    assert (reply.text, reply.reasoning) == ("B", "Hm.")


def test_a_part_that_declines_is_a_refusal() -> None:
    reply = read_reply(completion([{"type": "refusal", "refusal": "I will not."}]), 0.0)  # type: ignore[arg-type]
    assert (reply.text, reply.refusal) == ("I will not.", True)
