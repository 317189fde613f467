r"""The one filter between what models, files and endpoints say and a person's terminal.

Text of every script passes as it is, joiners and marks of direction among it. What a terminal would obey (C0 and C1
controls, DEL, and with them every escape sequence) or what turns lines about (bidirectional overrides, embeddings and
isolates, separators of lines) is shown as `\u001b`: in JSON the same value, elsewhere something to be seen.
"""

import io
import re
import sys
from typing import TextIO

LONGEST = 1_600
"""Characters of an error."""
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LINES = re.compile(r"\s*[\n\r]\s*")
_SECRET = re.compile(r"(//)[^\s'\"@]*@|([?&#;][\w.-]*(?:key|token|secret|pass|auth)[\w.-]*=)[^\s&'\"]+", re.IGNORECASE)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_FOREIGN = re.compile("[^\x00-\x7f]")


def escape_control(text: str) -> str:
    r"""The text with everything shown that a terminal would obey; line ends and tabs are left.

    >>> escape_control("red: \x1b[31m, back: \u202e")
    'red: \\u001b[31m, back: \\u202e'
    """
    return _HIDDEN.sub(_shown, text)


def one_line(text: str) -> str:
    r"""The visible text on one line.

    >>> one_line("it says:\n  no\x07")
    'it says: no\\u0007'
    """
    return escape_control(_LINES.sub(" ", text.strip()))


def redact_urls(text: str) -> str:
    """The text without what stands in addresses that were typed: a password, or the value of a key.

    >>> redact_urls("No benchmark is called 'https://me:pass@host/v1?api_key=sk-1'.")
    "No benchmark is called 'https://***@host/v1?api_key=***'."
    """
    return _SECRET.sub(lambda found: f"{found[1] or found[2]}***{'@' if found[1] else ''}", text)


def _shown(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n : n + 2].hex()}" for n in range(0, len(units), 2))


class SafeStream(io.TextIOBase):
    """A stream through which nothing but visible text passes; `own` is for what the program itself has to say."""

    def __init__(self, own: TextIO) -> None:
        self.own = own

    def write(self, text: str) -> int:
        """Write the text visibly; what the stream's encoding lacks is shown as well."""
        shown = escape_control(text)
        try:
            self.own.write(shown)
        except UnicodeEncodeError:
            self.own.write(_FOREIGN.sub(_shown, shown))
        # Of what was given, as streams promise: what is written in its place may be longer.
        return len(text)

    def flush(self) -> None:
        """Flush the stream."""
        self.own.flush()

    def isatty(self) -> bool:
        """True where a person looks on."""
        return self.own.isatty()

    def fileno(self) -> int:
        """The stream's number."""
        return self.own.fileno()

    def writable(self) -> bool:
        """True: that is what it is for."""
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The stream's."""
        return self.own.encoding


def unfiltered(stream: TextIO) -> TextIO:
    """The stream below the filter, for the program's own movements of the cursor and colours."""
    return stream.own if isinstance(stream, SafeStream) else stream


def print_error(words: str) -> None:
    """Say one line on standard error."""
    sys.stderr.write(f"mores: {error_line(words)}\n")


def error_line(words: str) -> str:
    """Words as one line of an error: visible, discreet, and cut in the middle where it is longer than a screen."""
    line = one_line(redact_urls(words))
    return line if len(line) <= LONGEST else f"{line[: LONGEST // 2]} … {line[-LONGEST // 2 :]}"


def describe_error(error: BaseException) -> str:
    r"""An error as its kind and its words on one line, the same in each run: no address in memory is in it.

    >>> describe_error(ValueError("no such\nluck: <object at 0x7f01>"))
    'ValueError: no such luck: <object at 0x…>'
    """
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    try:
        words = _ADDRESS.sub(" at 0x…", str(error))
    except Exception:  # noqa: BLE001 - whatever its own code does, the error is told
        words = "its words cannot be read"
    kind = type(error).__name__
    return error_line(f"{kind}: {words}" if words else kind)
