"""Outcomes of a call, by one set of tables for live calls, batches and logs of other programs.

status, words and codes of an error ─▶ refusal · passing failure · end of the run · failure of this call alone
the word with which an answer ended ─▶ answer · cut · refusal · passing failure (broken off)

A filter is a refusal by whatever word or status it is told. A limit of a minute passes, one of a day does not. A word
that no table has leaves the answer as it is, and whoever asked takes note of it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

import msgspec

from mores.models.error_messages import AnyOf
from mores.models.redaction import NOTHING, EchoedRequest, without_echo

OutcomeKind = Literal["answer", "cut", "refusal", "passing", "end", "failure"]
"""Outcome of a call. A `failure` is of this call alone, and would come again: a prompt too long, a wrong setting."""

FILTERED = "filtered"
"""The cause of a call that a filter of the provider's stopped; whoever asked takes it for a refusal."""
BROKEN_OFF = "broken off"
"""The cause of a call whose answer the provider's side broke off, which it tells in the word for its end alone."""
STREAMED = "streamed answer"
"""The cause of a call whose answer came in pieces, as events."""
IN_BODY = "error in the body"
"""The cause of a call whose answer of status 200 is an error that gives no status of its own."""

CUT = "length"
"""Finish of a reply that ended at a limit, whatever the provider calls that."""
STOPPED = "stop"
_ANSWERS = (
    "stop", "stopped", "eos", "eos_token", "eos_found", "end", "finish", "complete", "completed", "end_of_text",
    "endoftext",
    # OpenAI, vLLM, llama.cpp · Together, TGI, watsonx · Cohere · AI21, Aleph Alpha
    "stop_sequence", "stop_word", "stop_token", "stop_str", "end_turn", "end_of_turn", "pause_turn", "done", "success",
    # Anthropic, Bedrock, TGI · SGLang
    "tool_calls", "tool_use", "tool_call", "function_call",
)  # fmt: skip
_CUTS = (
    "length", "max_tokens", "max_tokens_reached", "max_new_tokens", "max_output_tokens", "max_completion_tokens",
    "max_length", "max_len", "token_limit", "output_limit", "incomplete",
    # OpenAI, Anthropic, Gemini, Cohere · Responses · xAI · watsonx
    "model_length", "max_context", "context_length", "context_length_exceeded", "model_context_window_exceeded",
    "context_window_exceeded", "error_limit",
    # Mistral, Inspect · xAI · Anthropic, Z.ai · Cohere
)  # fmt: skip
_FILTERS = (
    "content_filter", "content_filtered", "content_filtering", "content_policy", "content_policy_violation",
    # OpenAI, Azure, DeepSeek, Moonshot · Bedrock
    "refusal", "refused", "sensitive", "safety", "image_safety", "prohibited_content", "blocklist", "spii",
    "recitation",
    # Anthropic · Z.ai · Gemini (its FinishReason and BlockReason), as the next three
    "model_armor", "jailbreak", "language", "blocked", "block", "filtered", "flagged", "moderation", "moderated",
    "guardrail", "guardrails", "guardrail_intervened", "error_toxic", "toxic", "data_inspection_failed", "copyright",
    # Bedrock · Cohere · DashScope
)  # fmt: skip
_BREAKS = (
    "error", "network_error", "server_error", "internal_error", "insufficient_system_resource", "abort", "aborted",
    # OpenRouter, Mistral, Cohere, Together · Z.ai · DeepSeek · vLLM, SGLang
    "cancel", "cancelled", "canceled", "user_cancel", "interrupted", "disconnected", "timeout", "time_out", "timed_out",
    "time_limit", "not_finished", "overloaded", "failed", "failure", "engine_overloaded", "upstream_error",
    # TensorRT-LLM, watsonx, Cohere, xAI
)  # fmt: skip
FINISHES: dict[str, OutcomeKind] = {
    **dict.fromkeys(_ANSWERS, "answer"), **dict.fromkeys(_CUTS, "cut"),
    **dict.fromkeys(_FILTERS, "refusal"), **dict.fromkeys(_BREAKS, "passing"),
}  # fmt: skip
"""Outcome by the word with which an answer ended, from the references of the providers' APIs, November 2026."""
_STEMS: tuple[tuple[OutcomeKind, re.Pattern[str]], ...] = (
    ("passing", re.compile(r"error|fail|exception|abort|cancel|time_?d?_?out|connect|interrupt|unavailable|kill|died|"
                           r"preempt|malformed|throttl|rate_limit")),
    ("refusal", re.compile(r"filter|safety|unsafe|sensitiv|moderat|guard|policy|prohibit|block|censor|toxic|harmful|"
                           r"refus|violat|risk|\brai\b")),
    ("cut", re.compile(r"limit|length|max_|context|truncat")),
)  # fmt: skip
"""Outcome of a word of no table by its parts, as `safety_block`; it is noted all the same."""
_SPELLING = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PREFIX = re.compile(r"\A(?:finish_reason|reason|finishreason)_")


class Finish(NamedTuple):
    """End of an answer: the word in our terms, and its outcome; `known` is False for a word of no table."""

    word: str
    kind: OutcomeKind
    known: bool = True


_PLAIN = Finish(STOPPED, "answer")
_LIMITED = Finish(CUT, "cut")


def read_finish(word: object) -> Finish:
    """End of an answer, by the provider's word for it in any spelling; some put two words, or a word in an object.

    >>> read_finish("MAX_TOKENS"), read_finish("content_filter: PROHIBITED_CONTENT").kind, read_finish("zzz").known
    (Finish(word='length', kind='cut', known=True), 'refusal', False)
    """
    if word == STOPPED or word is None or word == "":
        return _PLAIN
    if word == CUT:
        return _LIMITED
    if isinstance(word, Mapping):  # as in SGLang's own answers
        word = str(word.get("type") or word.get("reason"))
    whole = str(word).strip()
    for part in (whole, *re.split(r"[:,;/|]", whole)):
        word = re.sub(r"\W+", "_", _SPELLING.sub("_", part.strip())).strip("_").casefold()
        kind = FINISHES.get(_PREFIX.sub("", word))
        if kind is not None:
            name = {"answer": STOPPED, "cut": CUT}.get(kind, _PREFIX.sub("", word))
            return Finish(name, kind)
    word = whole.casefold()[:40]
    likely: OutcomeKind = next((kind for kind, stem in _STEMS if stem.search(word)), "answer")
    return Finish(CUT if likely == "cut" else word, likely, known=False)


_PASSING = frozenset({408, 409, 424, 425, 429, 498, 499, *range(500, 600)} - {501, 505, 511})
"""Statuses that say that a call may be answered when it is put again; 424 is TGI's, 498 Groq's, 520 on Cloudflare's."""
NO_KEY, NO_CREDIT, NO_MODEL = frozenset({401, 403}), frozenset({402, 429}), frozenset({404, 405, 410})
"""Statuses that say that every call will be refused so, by what is missing; a 429 only where it does not pass."""
LEGAL = 451
"""The status of what may not be said for reasons of law; some providers' filters use it."""
STATUSES: dict[str, int] = {
    # Anthropic: https://docs.anthropic.com/en/api/errors
    "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
    "not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "api_error": 500,
    "overloaded_error": 529,
    # OpenAI and those who follow it
    "invalid_api_key": 401, "insufficient_quota": 429, "rate_limit_exceeded": 429, "model_not_found": 404,
    "insufficient_balance": 402, "payment_required": 402, "unauthorized": 401, "service_unavailable": 503,
    # Google: https://cloud.google.com/apis/design/errors
    "invalid_argument": 400, "failed_precondition": 400, "out_of_range": 400, "unauthenticated": 401,
    "permission_denied": 403, "not_found": 404, "resource_exhausted": 429, "internal": 500, "unavailable": 503,
    "deadline_exceeded": 504,
    # DashScope: its codes without what stands behind a point
    "invalidapikey": 401, "arrearage": 402, "throttling": 429, "accessdenied": 403, "modelnotfound": 404,
}  # fmt: skip
"""The status that a name of an error stands for, where its words are all that is told."""
GRPC = {3: 400, 5: 404, 7: 403, 8: 429, 9: 400, 11: 400, 13: 500, 14: 503, 16: 401}
"""The status that each number of Google's errors stands for."""


_A_FILTER = AnyOf(
    r"content[_ ]?filter", r"responsible ?ai ?policy",  # Azure OpenAI, Moonshot
    r"content[_ -]?(?:policy|management policy|safety policy)|contentpolicy",  # OpenAI, Azure, LiteLLM
    r"flagged (?:as|by|for)|(?:input|prompt|content|request|message) (?:was|is|has been|were) flagged|flagged_input",
    r"violat\w+ (?:our |the |of |its |their )*(?:usage|content|safety|acceptable use)",  # OpenAI's o-series, xAI
    r"data_?inspection_?failed|inappropriate content",  # DashScope
    r"sensitive_?(?:content|words?)|contain\w* (?:\w+ )?sensitive|(?:input|output)[_ ](?:new_)?sensitive|不安全|敏感",
    # Volcengine, MiniMax, Z.ai
    r"content exists risk|considered high risk|risk[_ ]control",  # DeepSeek, Moonshot
    r"prompt (?:was |is |has been )?blocked|blocked (?:by|due to|because of|for) (?:\w+ ){0,4}"
    r"(?:safety|filter|guardrail|policy|policies|moderation|content|prohibited|harm)",  # Gemini, Bedrock, Anthropic
    r"(?:response|output|content|answer|completion) (?:was |is |has been )?(?:blocked|filtered|censored)",
    r"guardrail\w* (?:intervened|blocked|triggered|violat)|prohibited_content|safety_check|block_?reason",
    r"\bblocklist\b|\bjailbreak\b|(?:failed|did not pass|rejected by) (?:\w+ ){0,3}(?:moderation|safety)",
    r"moderation[_ ](?:blocked|failed|rejected|flagged)|unsafe (?:content|prompt|input|request)",
)  # fmt: skip
_NO_FILTER = AnyOf(
    r"filter\w*[_ ](?:error|service|system)\b.{0,40}(?:unavailable|fail|error|time)", r"content_filter_error",
    r"\A\s*<(?:!doctype|html|\?xml|head|body)\b",  # the page of a firewall or a proxy
    r"(?:account|organization|access|project) (?:\S+ ){0,4}(?:suspended|deactivated|disabled|terminated|banned)",
    r"(?:unknown|unrecognized|unsupported|unexpected|invalid) (?:request )?(?:parameter|argument|field|keyword)",
)  # fmt: skip
"""Words of what is no filter's: one that is out of order, a firewall before the provider, an account, a setting."""
_A_DAY = AnyOf(
    r"per[ _-]?(?:day|week|month)", r"\b(?:daily|weekly)\b|dailylimit",
    r"\bmonthly (?:\w+ )?(?:limit|quota|spend|usage|allow|credit)",
    r"\b[RT]P(?:D|M?ONTH)\b|_rpd\b|_tpd\b",  # Groq, Moonshot
    r"by[ _]?day\b|/ ?(?:day|month)\b|per 86,?400 ?s|\b24 ?h(?:ours)?\b|每[日天月]|当[日天]",  # GitHub's models, Cohere
    r"spend(?:ing)?[_ ](?:limit|cap)",  # xAI
)  # fmt: skip
_NO_CREDIT = AnyOf(
    r"insufficient[_ -]?(?:quota|balance|funds?|credits?|account)|exceeded_current_quota",
    r"(?:balance|credit)\w* (?:is|are) (?:too low|insufficient|not enough|exhausted|depleted|used up|negative)",
    r"out of credits?|no (?:remaining |more |available )?credits?\b",
    r"used (?:up )?all (?:of )?(?:your |the |available )*credits?",
    r"not enough (?:credit|balance|quota|funds)|billing[_ ](?:hard[_ ])?limit|payment required|arrear|overdue",
    r"欠费|余额不足",
    r"account (?:\S+ ){0,3}(?:suspended|deactivated|disabled)",
    r"please (?:recharge|top[ -]up)|(?:add|buy|purchase) (?:more )?credits",
)  # fmt: skip
_A_MINUTE = AnyOf(
    r"per[ _-]?(?:min|sec|hour)", r"\b[RT]PM\b|\b[QR]PS\b|_rpm\b|_tpm\b", r"\brate[ _-]limit", r"throttl",
    r"too many (?:concurrent )?requests|concurren|requests? in (?:progress|flight)",
    r"(?:retry|try again)[\w ]{0,12} (?:in|after) \d",
)  # fmt: skip
_OF_CREDIT = AnyOf(
    r"\bcredits?\b", r"\bbilling\b", r"\bbalance\b", r"exceed\w* (?:your |the )?(?:\w+ )?quota", r"recharge",
    r"quota (?:is |has been |was )?(?:used up|exhausted|depleted)",
    r"(?:reached|exceeded|hit) (?:\w+ ){0,4}usage limits?\b",  # Anthropic
)  # fmt: skip
"""Words that may be of credit, or of a minute where a short wait is asked for."""
_OF_MODEL = AnyOf(
    r"\bmodel\b.{0,80}(?:not found|not exist|n't exist|not available)|(?:unknown|no such) model",
    r"unexpected endpoint",  # LM Studio, with a 200
)
_OF_KEY = AnyOf(
    r"\bapi[ _-]?key\b",
    r"no connected db",  # a gateway that has no list to look a key up in
    r"authenticat|unauthori[sz]ed|credential",
    r"virtual key|invalid token|bearer token|(?:access token|secret key)",
)
_OF_ALL_CALLS = AnyOf(r"credit|quota|billing|balance|api.?key|account|subscription|deactivated")
_THROTTLED = AnyOf(r"throttl|too many requests|rate[ _-]limit\w* (?:exceeded|reached)")
_WITHOUT_STATUS = ((429, _A_DAY), (402, _NO_CREDIT), (401, _OF_KEY), (404, _OF_MODEL))
"""The status that words stand for, where an error gives none."""
_WAIT = re.compile(
    r"(?:retry|try again)[_ ]?(?:after|delay|in)?\W{1,5}(?:in )?(\d+(?:\.\d+)?) ?(ms|m(?:in)?\b|s)", re.IGNORECASE
)
_AN_HOUR, _FORTY_DAYS = 3_600.0, 3_456_000.0
"""Seconds: a limit that asks for more than the first is one of a day or longer; more than both is nonsense."""


class Trouble(NamedTuple):
    """Contents of an error: its kind, its cause and words, and the wait that it asks for; `day` for a quota of one."""

    kind: OutcomeKind
    cause: str
    words: str
    wait: float | None = None
    day: bool = False

    @property
    def passing(self) -> bool:
        """True where the call is to be put again."""
        return self.kind == "passing"


def read_error(status: int, words: str, wait: float | None = None, *, asked: EchoedRequest = NOTHING) -> Trouble:
    """Contents of an error, by its status (0 where it gives none) and all of its words.

    A filter comes under many statuses. A limit is of a day, of credit, or of a minute; where words of both are there,
    the longer one decides, as one would wait in vain.

    Args:
        status: The HTTP status, or the one that the error itself speaks of.
        words: The whole body, since some say only at its end which limit it was.
        wait: Seconds that a Retry-After asks for.
        asked: What the call held, which an error may say back and which says nothing of what it is.

    >>> read_error(429, "Rate limit reached on tokens per day (TPD): Limit 500000").kind
    'end'
    >>> read_error(429, "Rate limit reached on tokens per min (TPM): try again in 2s").kind
    'passing'
    >>> read_error(400, '{"error": {"code": "data_inspection_failed"}}').kind
    'refusal'
    """
    words = without_echo(words, asked)
    # A 401, 402 or 404 is of key, credit or model, whatever words of a filter stand in it.
    if status == LEGAL or (status not in {401, 402, 404} and _A_FILTER.fit(words) and not _NO_FILTER.fit(words)):
        return Trouble("refusal", FILTERED, words)
    status = status or next((found for found, table in _WITHOUT_STATUS if table.fit(words)), 0)
    cause = f"http {status}" if status else IN_BODY
    wait = _wait_of(words) if wait is None and status == 429 else wait
    if status == 429 and _lasts(words, wait):
        return Trouble("end", cause, words, wait, day=_A_DAY.fit(words) or _is_days(wait))
    if not status or status in _PASSING or (status == 400 and _THROTTLED.fit(words)):
        return Trouble("passing", cause, words, wait)
    lasts = status in NO_KEY | NO_CREDIT | NO_MODEL or (status == 400 and _speaks_of_end(words))
    return Trouble("end" if lasts else "failure", cause, words, wait)


def _speaks_of_end(words: str) -> bool:
    """True where a 400 is of key, credit or model, which some say with it."""
    return any(table.fit(words) for table in (_OF_KEY, _NO_CREDIT, _OF_MODEL))


def speaks_of_key(words: str) -> bool:
    """True where an error is about who asks, which some servers say with a 400.

    >>> speaks_of_key("No connected db."), speaks_of_key("Unexpected keyword argument")
    (True, False)
    """
    return _OF_KEY.fit(words)


def speaks_of_all(status: int, words: str) -> bool:
    """True where an error may be about every call: by its status, or by words of an account, told with a 400."""
    return status in NO_KEY | NO_CREDIT | NO_MODEL or _OF_ALL_CALLS.fit(words)


def _lasts(words: str, wait: float | None) -> bool:
    """True where a limit is one that waiting does not mend: of a day or longer, or of credit."""
    if _is_days(wait) or _A_DAY.fit(words) or _NO_CREDIT.fit(words):
        return True
    return wait is None and not _A_MINUTE.fit(words) and _OF_CREDIT.fit(words)


def _is_days(wait: float | None) -> bool:
    return wait is not None and _AN_HOUR < wait < _FORTY_DAYS


def _wait_of(words: str) -> float | None:
    """The seconds that words ask to wait; None where they ask for none."""
    found = _WAIT.search(words)
    if found is None:
        return None
    return float(found[1]) * {"ms": 0.001, "s": 1.0}.get(found[2].casefold(), 60.0)


def status_of(*names: object) -> int:
    """The status that one of these codes or names of errors gives, the first that does; 0 where none does.

    >>> status_of(None, "429"), status_of("RESOURCE_EXHAUSTED"), status_of("Throttling.RateQuota"), status_of("odd")
    (429, 429, 429, 0)
    """
    for name in names:
        value = int(name) if isinstance(name, str) and len(name) == 3 and name.isdecimal() else name
        if isinstance(value, int) and 400 <= value < 600:
            return value
        if isinstance(value, str) and (status := STATUSES.get(value.partition(".")[0].casefold(), 0)):
            return status
    return 0


BOM = b"\xef\xbb\xbf"
"""The mark that some servers put before a body in UTF-8."""
_EVENTS = (b"data:", b"event:", b": ")
_ANSWERED = re.compile(rb'"choices"\s*:\s*\[\s*\{')
_BLOCKS = ("prompt_feedback", "promptFeedback")
_ANNOTATED = ("prompt_filter_results", "prompt_annotations")


def disguised(body: bytes, call: bytes = b"{}") -> Trouble | None:
    """Error hidden in an answer of status 200 that is no completion; None where it may be one, or is unreadable.

    >>> disguised(b'{"choices": null, "error": {"message": "Overloaded", "code": 503}}').cause
    'http 503'
    >>> disguised(b'data: {"choices": [{"delta": {"content": "Yes"}}]}').cause
    'streamed answer'
    """
    if body.removeprefix(BOM).lstrip()[:6].startswith(_EVENTS):
        words = "the endpoint sends events, which it was not asked for; turn streaming off there"
        return Trouble("failure", STREAMED, words)
    # Most answers end here, before their body is read once more.
    if b'"error' not in body and _ANSWERED.search(body) is not None:
        return None
    try:
        whole = msgspec.json.decode(body.removeprefix(BOM))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return error_in(whole, call) if isinstance(whole, dict) else None


def error_in(whole: Mapping[str, object], call: bytes = b"{}") -> Trouble | None:
    """The error in an answer that came as a good one, wherever it stands; None where there is none."""
    choices = whole.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    inner = first.get("error") if isinstance(first, Mapping) else None
    error = next(filter(_says, (whole.get("error"), inner)), None)
    if error is None and first is None:
        if _blocked(whole):
            return Trouble("refusal", FILTERED, "the prompt was blocked")
        error = next(_of_another_form(whole), None)
    if isinstance(error, str):
        return read_error(0, error, asked=EchoedRequest.of(call))
    if not isinstance(error, Mapping):
        return None
    message = next((str(error[name]) for name in _MESSAGES if isinstance(error.get(name), str)), "")
    status = status_of(*(error.get(name) for name in _CODES))
    asked = EchoedRequest.of(call)
    found = read_error(status, msgspec.json.encode(error).decode(), asked=asked)
    return found._replace(words=without_echo(message, asked) or found.words)


_MESSAGES = ("message", "msg", "error_msg", "status_msg", "detail")
_CODES = ("code", "status", "status_code", "type", "error_code")


def _says(error: object) -> bool:
    """True where the field of an error holds one: some have it always, empty or of the code 0."""
    if isinstance(error, Mapping):
        return any(error.get(name) for name in (*_MESSAGES, *_CODES, "metadata"))
    return isinstance(error, str) and bool(error.strip())


def _of_another_form(whole: Mapping[str, object]) -> Iterator[object]:
    """An error without a field of that name: MiniMax's, Cloudflare's, Baidu's, DashScope's, vLLM's and FastAPI's."""
    base, errors, detail = whole.get("base_resp"), whole.get("errors"), whole.get("detail")
    if isinstance(base, Mapping) and base.get("status_code"):
        yield base
    if isinstance(errors, list) and errors and isinstance(errors[0], Mapping) and _says(errors[0]):
        yield errors[0]
    if isinstance(whole.get("error_msg"), str) or whole.get("object") == "error":
        yield whole
    if isinstance(whole.get("message"), str) and whole.get("code"):
        yield whole
    if isinstance(detail, str) and detail:
        yield detail


def _blocked(whole: Mapping[str, object]) -> bool:
    """True where no answer was begun, as a filter found the prompt unfit."""
    feedback = (whole.get(name) for name in _BLOCKS)
    if any(isinstance(each, Mapping) and (each.get("block_reason") or each.get("blockReason")) for each in feedback):
        return True
    return any(b'"filtered":true' in msgspec.json.encode(whole.get(name)) for name in _ANNOTATED if name in whole)
