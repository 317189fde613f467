"""Subject of a server's refusal, read from its words: length, a limit, settings, a schema, the shape of messages.

No vendor is asked for by name. Numbers are taken for what the words beside them call them: how long the context may be,
how long the prompt is, how much may be drawn. Where a limit is called too large and no number says what is not, half of
it is tried.
"""

import re
from functools import cached_property

from msgspec import Struct

OVERFLOW = "context overflow"
"""The cause of a call that failed as its prompt leaves no room for an answer in the model's context."""
UNREAD = "unfit output"
"""The cause of a call whose answer the server itself could not read, such as one by a schema that was cut short."""

NO_SYSTEM, ALTERNATING, USER_FIRST = "no system role", "alternating roles", "the user first"
"""Shapes of messages that a chat template asks for."""

SMALL = 256
"""A limit that is never why a call does not fit, where a server does not say which of both it is."""

_NUMBER = r"(\d[\d,_]*)"


class AnyOf:
    """Patterns of which any may fit; they are compiled when they are first looked for, as few runs meet a refusal."""

    def __init__(self, *patterns: str) -> None:
        self._patterns = patterns

    @cached_property
    def fits(self) -> re.Pattern[str]:
        """All of them as one."""
        return re.compile("|".join(pattern.replace("#", _NUMBER) for pattern in self._patterns), re.IGNORECASE)

    def fit(self, text: str) -> bool:
        """True where one of them fits."""
        return self.fits.search(text) is not None


_WINDOW = AnyOf(
    r"max_model_len\D{0,4}#",
    r"(?:maximum|model'?s?|available|model maximum) context (?:length|size|window|limit)\D{0,24}#",
    r"maximum (?:model|prompt|sequence) length\D{0,8}#",
    r"context (?:length|size|window) (?:of|is)\D{0,12}#",
    r"with # maximum context length",
    r"\+ \S+ must be <= #",
    r"exceed context limit: [\d,]+ \+ [\d,]+ > #",
    r"n_ctx\W{1,4}#",
    r"maximum number of tokens allowed\D{0,4}#",
    r"tokens > # maximum",
)
_PROMPT = AnyOf(
    r"# (?:tokens? )?(?:in|from) (?:the|your) (?:input|prompt|messages)",
    r"# (?:of )?(?:text |prompt )?input tokens",
    r"# (?:of text input|`inputs` tokens|prompt tokens)",
    r"(?:request|prompt|input) \((?:length )?#",
    r"prompt contains (?:at least )?#",
    r"messages resulted in #",
    r"prompt is too long:? #",
    r"exceed context limit: #",
    r"given: # `inputs`",
    r"input token count \(#",
    r"n_prompt_tokens\W{1,4}#",
    r"request contains # tokens",
)
_ABOUT_LIMIT = AnyOf(
    r"max[_ ]?(?:completion|output|new)?[_ ]?tokens",
    r"(?:completion|output|maximum) tokens",
    r"in the completion|or (?:the )?completion",
)
_MOST = AnyOf(
    r"at most #",
    r"less than or equal to\W{1,3}#",
    r"<= #",
    r"lower than #",
    r"\[\s*1\s*,\s*#\s*\]",
    r"(?:cannot|can't|must not) (?:be greater than|exceed)\D{0,16}#",
    r"\d[\d,]* > #",
    r"tokens > #",
    r"(?:limit|maximum)(?: value)? (?:of|is) #",
    r"maximum (?:\w+ ){0,2}tokens is #",
)
_BELOW = AnyOf(r"# \(exclusive\)", r"(?<!or equal to )less than #")
_TOO_LARGE = AnyOf(r"too (?:large|long|many|high|big)", "exceed", "(?:cannot|can't) be greater", "supports? at most")
_TOO_LONG = AnyOf(
    r"context_length_exceeded|exceed_context_size|context length exceeded|maximum prompt length",
    r"exceed\w* (?:the )?(?:available |model'?s? |maximum )*(?:context|token limit)",
    r"(?:prompt|input|request|messages?)\b[^.]{0,60}\b(?:too long|longer than)",
    r"context (?:window |the )*(?:overflow|exceed)",
    r"reduce the length of the (?:input |prompt|messages)",
    r"inputs?`? must have less than|range of input length",
    r"(?:input|prompt) tokens? (?:count )?(?:\(\d+\) |of \d+ )?exceed",
    r"but the (?:configured )?context",
)


class TokenLimitRefusal(Struct, frozen=True, kw_only=True):
    """A limit on the answer that was refused: what may be asked for instead, and the number that it comes from.

    `window` is how much prompt and answer may take together, `most` how much the answer may alone. `instead` is None
    where the window is told and not how much of it the prompt takes.
    """

    instead: int | None
    window: int | None = None
    most: int | None = None


class ContextLengthRefusal(Struct, frozen=True):
    """A prompt that leaves no room for an answer."""


def read_length(detail: str, limit: int | None) -> TokenLimitRefusal | ContextLengthRefusal | None:
    """Length in a refusal; None where it is about something else.

    Args:
        detail: The server's words.
        limit: The most tokens that the call wanted drawn; None where it set no limit.

    >>> read_length("max_tokens is too large: 65536. This model supports at most 16384 completion tokens.", 65536)
    TokenLimitRefusal(instead=16384, window=None, most=16384)
    >>> read_length("request (2112 tokens) exceeds the available context size (2048 tokens)", 8)
    ContextLengthRefusal()
    """
    window, prompt = _first(_WINDOW.fits, detail), _first(_PROMPT.fits, detail)
    if window is not None and prompt is not None:
        return _rest_of_window(prompt, window, limit, vague="at least" in detail)
    if limit is not None and limit > 1 and _ABOUT_LIMIT.fits.search(detail):
        less = _less(window, detail, limit)
        if less is not None:
            return less
    return ContextLengthRefusal() if _TOO_LONG.fits.search(detail) else None


def _rest_of_window(
    prompt: int, window: int, limit: int | None, *, vague: bool
) -> TokenLimitRefusal | ContextLengthRefusal | None:
    """Tokens that a prompt leaves of the window; a server that stopped counting knows the least that it takes alone."""
    room = window - prompt
    if vague and limit is not None:
        room = min(room, limit // 2)
    if room < 1 or limit is None or (limit == 1 and not vague):
        return ContextLengthRefusal()
    return TokenLimitRefusal(instead=room, window=window) if room < limit else None


def _less(window: int | None, detail: str, limit: int) -> TokenLimitRefusal | None:
    """A smaller limit: the one that is named, or half of it where it is called too large and none is."""
    below = [number - 1 for number in _numbers(_BELOW.fits, detail)]
    named = [number for number in (*_numbers(_MOST.fits, detail), *below) if 1 < number < limit and number != window]
    if named:
        return TokenLimitRefusal(instead=min(named), most=min(named), window=window)
    if window is not None and window <= limit:
        return TokenLimitRefusal(instead=None, window=window)
    if _TOO_LONG.fits.search(detail):  # either may be meant
        return TokenLimitRefusal(instead=limit // 2, window=window) if limit > SMALL else None
    return (
        TokenLimitRefusal(instead=limit // 2, window=window, most=limit // 2)
        if _TOO_LARGE.fits.search(detail)
        else None
    )


def _first(pattern: re.Pattern[str], detail: str) -> int | None:
    return next(iter(_numbers(pattern, detail)), None)


def _numbers(pattern: re.Pattern[str], detail: str) -> list[int]:
    """The number of each place that a pattern fits."""
    found = (next(group for group in match.groups() if group) for match in pattern.finditer(detail))
    return [int(digits.replace(",", "").replace("_", "")) for digits in found]


_NOT = (
    r"(?:not|n't|n’t|un|in)[ _-]?(?:be )?"
    r"(?:support|allow|accept|enabl|valid|permit|expect|known|recogni[sz]|us(?:e|able))"
)
_SYSTEM = AnyOf(
    rf"(?:system|developer)[ _-](?:role|message|prompt|instruction|turn)s?\b.{{0,60}}{_NOT}",
    rf"{_NOT}\w*[^.]{{0,40}}(?:system|developer)[ _-](?:role|message|prompt|instruction)",
    rf"{_NOT}\w*[^.]{{0,40}}['\"`]system\b",
    rf"\brole['\"`: =]{{0,4}}system\b.{{0,60}}{_NOT}",
    r"['\"`]system['\"`](?: role)? (?:is|are|does|was) (?:not|n't|un|in)",
    r"only (?:the )?['\"`]?user['\"`]?(?:,| and| or|/)[^.]{0,30}(?:assistant|model)\W[^.]{0,20}"
    r"(?:support|allow|accept|valid|permit|role)",
    r"no system (?:role|message|prompt)|(?:unknown|invalid|illegal|bad|wrong) role\W{0,5}system\b",
    r"input should be '(?:user|assistant)' or '(?:user|assistant)'",  # FastAPI
    r"\b(?:got|found|received|invalid enum value)\W{1,4}system\b",
)
_IN_A_ROW = AnyOf(
    r"alternat(?:e|ing|ion)",
    r"(?:consecutive|successive|adjacent)\b.{0,40}(?:role|message|turn|user|assistant)",
    r"(?:multiple|two|several) (?:\S+ ){0,3}(?:roles?|messages|turns) in a row",
    r"same role (?:twice|in a row)|roles?\W in a row",
)
_FIRST = AnyOf(
    r"(?:first|initial|1st)\b[^.]{0,60}\b(?:message|turn|role|content)s?\b[^.]{0,40}\buser",
    r"(?:must|should|has to|have to|needs? to) (?:start|begin)\b[^.]{0,40}\buser",
    r"no user (?:query|message|turn)",
    r"(?:start|begin)s? with (?:an? |the )?['\"`]?(?:user|human)",
)


def shapes_refused(detail: str) -> tuple[str, ...]:
    """Shapes of the messages that a refusal asks for, the likeliest first; none where it is about something else.

    Templates of chats tell of a role that is not the next they expect, whatever the reason, so that talk of roles that
    must alternate may mean each of the three.

    >>> shapes_refused("System role not supported"), shapes_refused("The first message must be from the user")
    (('no system role',), ('the user first', 'no system role'))
    """
    if _SYSTEM.fit(detail):
        return (NO_SYSTEM,)
    if _IN_A_ROW.fit(detail):
        return (ALTERNATING, USER_FIRST, NO_SYSTEM)
    return (USER_FIRST, NO_SYSTEM) if _FIRST.fit(detail) else ()


_SCHEMA = AnyOf(r"response.?format|schema|structured|grammar|unsupported|not support|invalid argument")
_OUTPUT = AnyOf(r"\boutput that does not match\b")
_UNFIT = AnyOf(r"failed_generation|json_validate_failed|failed to generate")
_KEYWORDS = ("maxLength", "minimum", "maximum")
_ONE_OF_BOTH = ("temperature", "top_p")


def speaks_of_output(detail: str) -> bool:
    """True where an error is about what the model said, which it would say again, and not about the server's health.

    >>> speaks_of_output("The model produced output that does not match the expected peg-native format")
    True
    """
    return bool(_OUTPUT.fits.search(detail))


def complains_of_schema(detail: str) -> bool:
    """True where the words of a refusal say that a JSON schema, or a setting, is not taken.

    That a model's words did not fit the schema is no such complaint.

    >>> complains_of_schema("This response_format type is unavailable now")
    True
    >>> complains_of_schema("Generated JSON does not match the expected schema (json_validate_failed)")
    False
    """
    return bool(_SCHEMA.fits.search(detail)) and not _UNFIT.fits.search(detail)


def keywords_refused(detail: str) -> frozenset[str]:
    """Keywords of a JSON schema that a refusal of it names.

    >>> sorted(keywords_refused("Invalid schema: In context=('properties', 'reason'), 'maxLength' is not permitted."))
    ['maxLength']
    """
    if not _SCHEMA.fits.search(detail):
        return frozenset()
    return frozenset(name for name in _KEYWORDS if re.search(rf"\b{name}\b", detail))


def complaint(detail: str, names: tuple[str, ...]) -> str | None:
    """The setting that an error message complains of, if it names one that we sent.

    Where only one of temperature and top_p is taken, it is the temperature that stays.

    >>> complaint("Unsupported parameter: 'max_tokens' ... Use 'max_completion_tokens' instead.", ("max_tokens",))
    'max_tokens'
    >>> complaint("`temperature` and `top_p` cannot both be specified", ("temperature", "top_p"))
    'top_p'
    """
    found = {name: spot.start() for name in names if (spot := re.search(rf"\b{name}\b", detail))}
    if found.keys() >= set(_ONE_OF_BOTH):
        del found["temperature"]
    return min(found, key=lambda name: found[name], default=None)
