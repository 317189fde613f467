"""Words of a reply that are none of the model's answer: thinking between marks, and what a chat template leaves behind.

text of a message ─▶ answer · thinking · whether a template's marks were taken off

A server without the parser of a model's family leaves its thinking in the text, between marks of that family; one that
writes special tokens out leaves those, and roles. All spellings stand here, in tables, for live replies and for logs.
A mark counts only where templates put it, at the beginning, at the end or round a block: words about marks stay.
"""

import re
from typing import NamedTuple

from mores.core.errors import InputError


class ThinkTags(NamedTuple):
    """The marks before and after thinking that a run names for a model whose own are in no table here."""

    opening: str
    closing: str

    @classmethod
    def of(cls, typed: str | None) -> "ThinkTags | None":
        """The two marks of `OPEN,CLOSE`; None where nothing was typed.

        Raises:
            InputError: these are not two marks.
        """
        if not typed:
            return None
        opening, _, closing = (part.strip() for part in typed.partition(","))
        if not opening or not closing or "," in closing or opening == closing:
            raise InputError(f"--think-tags {typed[:60]}: expected OPEN,CLOSE, two marks such as '<plan>,</plan>'.")
        return cls(opening, closing)


class MarkedText(NamedTuple):
    """A text with its thinking apart; `marked` where marks of a template were taken off."""

    text: str
    thinking: str = ""
    marked: bool = False


_NAMES = (
    "think", "thinking",  # DeepSeek-R1, QwQ and Qwen3, GLM-4.5, MiniMax-M1, Granite 3.3, SmolLM3, Nemotron
    "thought", "thoughts",  # Gemini's compatible endpoint with include_thoughts
    "reasoning", "reason", "reflection",  # Reflection-70B, EXAONE Deep, and fine-tunes by the prompts of R1's copies
    "scratchpad", "inner_monologue", "inner_thoughts", "analysis", "cot",
)  # fmt: skip
"""Names of tags round thinking, as `<think>`; a family may put its own before it, as in `<seed:think>`."""
_TAG = rf"(?:[\w.-]{{1,16}}[:_])?(?:{'|'.join(_NAMES)})"
PAIRS = (
    (rf"<(?P<tag>{_TAG})(?:\s[^<>]{{0,80}})?(?<!/)>", r"</(?P=tag)\s*>"),
    (r"\[(?P<square>THINK(?:ING)?|REASONING)\]", r"\[/(?P=square)\]"),  # Magistral: Mistral's tokenizer of 2025
    (r"◁(?P<kimi>think(?:ing)?)▷", r"◁/(?P=kimi)▷"),  # Kimi-VL-Thinking
    (r"<\|START_(?P<cohere>THINKING|REFLECTION)\|>", r"<\|END_(?P=cohere)\|>"),  # Command A Reasoning
    (r"<\|begin_of_(?P<sky>thought|think(?:ing)?)\|>", r"<\|end_of_(?P=sky)\|>"),  # Sky-T1, OpenThinker
    (r"<\|(?P<piped>think(?:ing)?|thought|reasoning)(?P<start>_start)?\|>",
     r"<\|(?:/(?P=piped)|(?P=piped)_end|end_(?P=piped))\|>"),
    (r"<\|channel>(?P<gemma>\w+)(?=\s)", r"<channel\|>"),  # Gemma 4
    (r"<unused94>(?:thought)?", r"<unused95>"),  # MedGemma
    (r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),  # Apertus
)  # fmt: skip
"""Marks before and after thinking, by the families whose templates have them."""
_ANY_NAME = re.compile(r"\(\?P=\w+\)")
_CLOSINGS = (
    r"</(?:[\w.-]{1,16}[:_])?think(?:ing)?\s*>", r"</thoughts?>", r"\[/THINK(?:ING)?\]", r"◁/think(?:ing)?▷",
    r"<\|END_THINKING\|>", r"<\|end_of_thought\|>", r"<channel\|>", r"<unused95>", r"<\|inner_suffix\|>",
    r"<\|(?:/think(?:ing)?|think(?:ing)?_end|end_think(?:ing)?)\|>",
)  # fmt: skip
"""Marks that end thinking also where none began it, since the prompt ended with the first of the two."""
_WRAPPERS = (
    (r"<\|START_RESPONSE\|>", r"<\|END_RESPONSE\|>"),  # Command A Reasoning
    (r"<\|begin_of_solution\|>", r"<\|end_of_solution\|>"),  # Sky-T1, OpenThinker
    (r"<response>", r"</response>"),  # Granite 3.3
    (r"<(?P<of>answer|output|solution|final_answer)>", r"</(?P=of)>"),  # R1's copies, Reflection-70B
)
"""Marks round an answer that stands behind thinking; both round all that there is come off without any, too."""
OF_TOKENS = 2
"""So many of these, the first, are special tokens, which come off without thinking before them too."""
_IN_WORDS = (r"here(?:'s|’s| is) my thought process:?", r"here(?:'s|’s| is) my response:?")
"""Granite 3.2 marks its thinking, and then its answer, in words."""

_CHANNEL = (
    r"(?:<\|start\|>[^<>|]*)?<\|channel\|>\s*(?P<channel>analysis|commentary|final)[^<>]*"
    r"(?:<\|constrain\|>[^<>]*)?<\|message\|>"
)
"""The head of a message of OpenAI's harmony format (gpt-oss): https://cookbook.openai.com/articles/openai-harmony"""
_BARE_CHANNELS = r"\A\s*(?:assistant)?(?:analysis|commentary)(?=\S)(?P<thought>.*?)assistant\s?final(?P<answer>.*)\Z"
"""The same where a server wrote no special token out: `analysis…assistantfinal…`."""
_BARE_THOUGHT = r"\A\s*(?:assistant)?analysis(?=[A-Z\"'“])(?P<thought>.*)\Z"
"""The same, broken off before an answer began: no word of a language goes on so."""

_BARE_ANSWER = r"\A\s*(?:assistant)?final(?=[A-Z0-9\"“(\[{])(?P<answer>.*)\Z"
"""The same without any thinking."""

_SPECIAL = r"<[|｜][^<>|｜\s]{1,40}[|｜]>"
"""A special token, as most templates spell it: `<|im_start|>`, `<|eot_id|>`, `<｜Assistant｜>`."""
_ROLE = r"(?:ai[ _]assistant|assistant|model|chatbot|bot)"
_LEADING = (
    rf"{_SPECIAL}(?:{_ROLE}(?=\s|:|<|\Z):?)?",  # ChatML, Llama 3 and 4, Phi, Granite, Command R
    rf"<start_of_turn>(?:{_ROLE}\b)?", rf"<\|turn>(?:{_ROLE}\b)?",  # Gemma 2 and 3; Gemma 4
    r"\[/INST\]", r"\[/?SYS\]",  # Llama 2, Mistral
    r"\[\|assistant\|\]",  # EXAONE
    r"<(?:s|bos|assistant)>",
    rf"<{_TAG}\s*/>",  # no thinking
    r"<extra_id_1>(?:assistant\b)?",  # Nemotron
    r"#{2,4}\s*(?:assistant|response)(?:\s*:|[ \t]*(?=\n))",  # Alpaca, Vicuna
    r"\**(?:(?:gpt4 correct )?(?:ai[ _]assistant|assistant|chatbot)|(?-i:AI))\**\s*[:：]\**",  # Vicuna, OpenChat
    rf"{_ROLE}[ \t]*\n(?=\s*\S)",  # ChatML and Gemma without their special tokens
)  # fmt: skip
"""Marks of templates before an answer. A role counts on a line of its own with words below, or before a colon."""
_TURN_ENDS = (
    _SPECIAL,
    r"<end_of_turn>", r"<start_of_turn>", r"<turn\|>", r"<\|turn>",  # Gemma
    r"\[\|(?:endofturn|user)\|\]",  # EXAONE
)  # fmt: skip
"""Marks that end a turn; text behind them belongs to no answer."""
_ENDS = (r"</s>", r"<eos>", r"\[EOS\]", r"\[/?INST\]", r"<extra_id_1>", r"</assistant>")
"""Marks that templates put at the very end, and people may write elsewhere."""
LONGEST_END = 16
"""Signs that one of these has at most."""


class _Reader:
    """The tables as patterns, compiled when a text first needs them."""

    def __init__(self) -> None:
        flags = re.DOTALL | re.IGNORECASE
        self.blocks = tuple(re.compile(rf"{first}(?P<thought>.*?){last}", flags) for first, last in PAIRS)
        self.ends_of_blocks = tuple(re.compile(_ANY_NAME.sub(r"[\\w:.-]{1,40}", last), flags) for _, last in PAIRS)
        self.openings = tuple(re.compile(rf"^[^\S\n]*{first}", flags | re.MULTILINE) for first, _ in PAIRS)
        self.closing = re.compile("|".join(_CLOSINGS), flags)
        self.wrappers = tuple(re.compile(rf"\A\s*{a}(?P<answer>.*?)(?:{b}\s*)?\Z", flags) for a, b in _WRAPPERS)
        own = "answer|final_answer|response"
        self.wrapped = re.compile(rf"<(?P<of>{own})>(?P<answer>(?:(?!</(?P=of)>).)*)</(?P=of)>", flags)
        thinking, answer = _IN_WORDS
        self.in_words = re.compile(
            rf"\A\s*\**{thinking}\**(?P<thought>.*?)(?:\n[^\S\n]*\**{answer}\**(?P<answer>.*))?\Z", flags
        )
        self.channel = re.compile(_CHANNEL)
        self.bare = tuple(re.compile(each, re.DOTALL) for each in (_BARE_CHANNELS, _BARE_THOUGHT, _BARE_ANSWER))
        own = "|".join(first for first, _ in (*PAIRS, *_WRAPPERS))
        self.leading = re.compile(rf"\A\s*(?!{own}|{'|'.join(_CLOSINGS)})(?:{'|'.join(_LEADING)})", re.IGNORECASE)
        self.token = re.compile(_SPECIAL)
        self.turn_end = re.compile("|".join(_TURN_ENDS))
        self.end = re.compile(rf"(?:{'|'.join(_ENDS)})\Z")


_readers: list[_Reader] = []
_BEGINS = re.compile(
    r"\s*\**(?:a(?:ssistant|nalysis|i(?:[ _]assistant)?\s*\**[:：\n])|model[ \t]*\n|(?:chat)?bot\b|gpt4|commentary|"
    r"final\S|here(?:'s|’s| is) my thought|##)",
    re.IGNORECASE,
)
_ANGLE = re.compile(
    rf"<(?:[|｜]|/?(?:{_TAG})\b|/?(?:s|assistant|answer|final_answer|response)>|bos>|eos>|start_of_|end_of_|turn\||channel\||extra_id_1|unused9)",
    re.IGNORECASE,
)
_SQUARE = re.compile(r"\[/?(?:THINK|REASON|INST|SYS|EOS|\|)", re.IGNORECASE)


def may_be_marked(text: str) -> bool:
    """False where nothing in a text can be a mark, as in most: this is all that a plain answer costs."""
    if _BEGINS.match(text) is not None or "◁" in text:
        return True
    return ("<" in text and _ANGLE.search(text) is not None) or ("[" in text and _SQUARE.search(text) is not None)


def spoken(text: str, tags: ThinkTags | None = None) -> MarkedText:
    r"""The answer in a text, its thinking apart, without the marks of a template.

    Several blocks of thinking are all kept apart. One that was never closed is thinking to its end where it begins a
    line. What stands before a block on lines of its own is part of the thinking, as the model had not yet answered.

    >>> spoken("[THINK]A or B?[/THINK]B")
    MarkedText(text='B', thinking='A or B?', marked=False)
    >>> spoken("assistant\nYes<|eot_id|>")
    MarkedText(text='Yes', thinking='', marked=True)
    >>> spoken("Assistant")
    MarkedText(text='Assistant', thinking='', marked=False)
    """
    found = MarkedText(text)
    if tags is not None and (tags.opening in text or tags.closing in text):
        found = _by_tags(found, tags)
    if not may_be_marked(found.text):
        return found
    if not _readers:
        _readers.append(_Reader())
    reader = _readers[0]
    found = _by_channels(found, reader)
    found = _without_lead(found, reader)
    found = _by_blocks(found, reader)
    found = _without_marks(found, reader)
    whole = reader.wrapped.fullmatch(found.text)
    return found if whole is None else found._replace(text=whole["answer"].strip())


def split_thinking(text: str) -> tuple[str, str]:
    """Answer and thinking of a text."""
    found = spoken(text)
    return found.text, found.thinking


def _thought(*parts: str) -> str:
    return "\n\n".join(filter(None, (part.strip() for part in parts)))


def _by_tags(found: MarkedText, tags: ThinkTags) -> MarkedText:
    """By the marks that a run names: all blocks between them, one that lacks its first or its last mark too."""
    thoughts, outside = [], []
    before, closing, rest = found.text.partition(tags.closing)
    if closing and tags.opening not in before:
        thoughts, rest = [before], rest.lstrip()
    else:
        rest = found.text
    while tags.opening in rest:
        before, _, rest = rest.partition(tags.opening)
        thought, _, rest = rest.partition(tags.closing)
        outside.append(before)
        thoughts.append(thought)
        rest = rest.lstrip()
    return MarkedText("".join((*outside, rest)).strip(), _thought(found.thinking, *thoughts), found.marked)


def _by_channels(found: MarkedText, reader: _Reader) -> MarkedText:
    """By the channels of the harmony format, with its special tokens or without, and by words that mark thinking."""
    text = found.text
    heads = list(reader.channel.finditer(text)) if "<|channel|>" in text else []
    if heads:
        ends = [*(head.start() for head in heads[1:]), len(text)]
        words = [reader.token.sub("", text[head.end() : end]) for head, end in zip(heads, ends, strict=True)]
        finals = [each for head, each in zip(heads, words, strict=True) if head["channel"] == "final"]
        thoughts = [each for head, each in zip(heads, words, strict=True) if head["channel"] != "final"]
        return MarkedText("\n\n".join(finals).strip(), _thought(*thoughts), marked=True)
    for each in (*reader.bare, reader.in_words):
        if (match := each.match(text)) is not None:
            groups = match.groupdict()
            answer, thought = groups.get("answer") or "", groups.get("thought") or ""
            return MarkedText(answer.strip(), _thought(thought), marked=each is not reader.in_words)
    return found


def _without_lead(found: MarkedText, reader: _Reader) -> MarkedText:
    """Without the marks that stand before the answer; a role that is all there is, is the answer."""
    text, marked = found.text, found.marked
    while (lead := reader.leading.match(text)) is not None:
        rest = text[lead.end() :].lstrip()
        if not rest and "<" not in lead[0] and "[" not in lead[0]:
            break
        text, marked = rest, True
    return found._replace(text=text, marked=marked)


def _by_blocks(found: MarkedText, reader: _Reader) -> MarkedText:
    """By the marks of the families' templates."""
    text, thoughts = found.text, [found.thinking]
    for block, end in zip(reader.blocks, reader.ends_of_blocks, strict=True):
        text = _cut_out(text, block, end, thoughts)
    closings = list(reader.closing.finditer(text))
    if closings:
        thoughts.append(text[: closings[-1].start()])
        text = text[closings[-1].end() :].lstrip()
    opened = _opened(text, reader)
    if opened is not None:
        thoughts.append(text[opened.end() :])
        text = text[: opened.start()].rstrip()
    if text is found.text:
        return found
    return found._replace(text=_unwrapped(text.lstrip("\n"), reader.wrappers), thinking=_thought(*thoughts))


def _cut_out(text: str, block: re.Pattern[str], end: re.Pattern[str], thoughts: list[str]) -> str:
    """The text without the blocks that fit, whose words are added to the thoughts.

    None begins behind the last mark that ends one: a model that repeats the first without end is read as fast.
    """
    answer, after, whole = "", 0, len(text.rstrip())
    for one in block.finditer(text, 0, _last(end, text)):
        between = text[after : one.start()].lstrip() if after else text[: one.start()]
        answer, after = _joined(answer, between).rstrip(), one.end()
        if answer and after < whole and _ends_line(between):
            thoughts.append(answer)
            answer = ""
        thoughts.append(one["thought"])
    return _joined(answer, text[after:].lstrip()) if after else text


def _joined(text: str, more: str) -> str:
    return f"{text} {more}" if text and more else text or more


def _ends_line(words: str) -> bool:
    return "\n" in words and not words.rpartition("\n")[2].strip()


def _last(end: re.Pattern[str], text: str) -> int:
    """End of the last mark that ends a block; 0 where there is none."""
    return max((one.end() for one in end.finditer(text)), default=0)


def _opened(text: str, reader: _Reader) -> re.Match[str] | None:
    """The first mark that begins thinking, at the beginning of a line, where none ends it."""
    found = (one for opening in reader.openings if (one := opening.search(text)) is not None)
    return min(found, key=lambda one: one.start(), default=None)


def _unwrapped(text: str, wrappers: tuple[re.Pattern[str], ...]) -> str:
    return next((whole["answer"].strip() for wrapper in wrappers if (whole := wrapper.match(text)) is not None), text)


def _without_marks(found: MarkedText, reader: _Reader) -> MarkedText:
    """Without the marks that stand round what is left: those before it, and from the first that ends a turn on."""
    found = _without_lead(found, reader)
    text = _unwrapped(found.text, reader.wrappers[:OF_TOKENS])
    end = reader.turn_end.search(text)
    text = text if end is None else text[: end.start()]
    bare = _without_ends(text, reader)
    if not ("<s>" in text and "</s>" in text[len(bare) :]):  # people strike words out so
        text = bare
    return found if text == found.text else found._replace(text=text.rstrip(), marked=True)


def _without_ends(text: str, reader: _Reader) -> str:
    """Without the marks at its very end; the text as it is where there is none."""
    bare = text.rstrip()
    while (last := reader.end.search(bare, max(0, len(bare) - LONGEST_END))) is not None:
        text = bare = bare[: last.start()].rstrip()
    return text
