"""Log lines without what lets somebody in or tells who they are: tokens of links, and ids of a platform."""

import logging
import re

from gunicorn.config import Config
from gunicorn.glogging import Logger

_IN = r"[^/%\s\"'&?<>,;)\]]"  # of one part of an address
_SECRET = re.compile(
    rf"((?:/|%2F)(?:enter|reset(?:/|%2F){_IN}*)(?:/|%2F)|(?:prolific_token|PROLIFIC_PID|SESSION_ID)=){_IN}+",
    re.IGNORECASE,
)


def discreet(line: str) -> str:
    """A line with three dots in place of each of these.

    >>> discreet("Gone: /enter/5uGx-2_a")
    'Gone: /enter/…'
    >>> discreet("Not Found: /reset/1b/c0ffee-12/x, from /sign-in?next=%2Fenter%2F5uGx")
    'Not Found: /reset/1b/…/x, from /sign-in?next=%2Fenter%2F…'
    """
    return _SECRET.sub(r"\1…", line)


class Discreet(logging.Formatter):
    """Formatter of such lines, tracebacks among them."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        return discreet(super().format(record))


class DiscreetLogger(Logger):  # type: ignore[misc]
    """Log of gunicorn, which tells the address of a request that it cannot serve."""

    def setup(self, cfg: Config) -> None:
        """Have its lines formatted so."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(Discreet(self.error_fmt, self.datefmt))
