"""What each medium says of a figure, read back as numbers or as the digits that it writes."""

import re
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from typing import NamedTuple

from mores.core.card import Metric
from mores.core.estimate import Estimate, judge_band_of
from mores.tables.formatting import is_share
from tests.tables.told import plain


class Numbers(NamedTuple):
    """What is said of a figure, as numbers; None where it has none."""

    value: float | None
    low: float | None
    high: float | None
    asked: int
    graded: int
    judge_low: float | None
    judge_high: float | None

    @classmethod
    def of(cls, figure: Estimate) -> "Numbers":
        band = judge_band_of(figure)
        ends = (None, None) if band is None else (band.low, band.high)
        return cls(figure.value, figure.low, figure.high, figure.asked, figure.graded, *ends)


class Written(NamedTuple):
    """The same with the digits of a medium for people; empty where it has none."""

    value: str
    low: str
    high: str
    n: str
    judge_low: str
    judge_high: str

    @classmethod
    def of(cls, figure: Estimate, metric: Metric | None) -> "Written":
        number, numbers = digits(is_share(metric)), Numbers.of(figure)
        n = f"{numbers.graded:,}" + (f" of {numbers.asked:,}" if numbers.asked != numbers.graded else "")
        low, high = (None, None) if None in numbers[:3] else (numbers.low, numbers.high)
        return cls(
            number(numbers.value), number(low), number(high), n, number(numbers.judge_low), number(numbers.judge_high)
        )

    @classmethod
    def read(cls, text: str) -> "Written":
        """What a text says of one figure."""
        value = re.match(r"[✓!\s]*(–|−?[\d.,]+)", text)
        ends = re.search(r"\[(−?[\d.]+), (−?[\d.]+)\]", text)
        n = re.search(r"\bn (\d+(?:,\d+)*(?: of \d+(?:,\d+)*)?)", text)
        band = re.search(r"\(judge band (−?[\d.]+)(?:–| to )(−?[\d.]+)\)", text)
        assert value is not None, text
        found = (match.groups() if match else ("", "") for match in (ends, band))
        (low, high), (judge_low, judge_high) = found
        return cls(value[1].strip("–"), low, high, n[1] if n else "", judge_low, judge_high)


def digits(share: bool) -> Callable[[float | None], str]:
    def written(number: float | None) -> str:
        if number is None:
            return ""
        text = f"{100 * number:.1f}" if share else f"{number:.2f}"
        return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")

    return written


class Tables(HTMLParser):
    """The rows of each table of a page by its caption, and whatever stands in titles within a cell."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: dict[str, list[list[str]]] = {}
        self.titles: dict[str, list[list[str]]] = {}
        self._open: list[str] = []
        self._rows: list[list[str]] = []
        self._titles: list[list[str]] = []
        self._texts: list[str] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._rows, self._titles = [], []
        elif tag == "tr":
            self._rows.append([])
            self._titles.append([])
        elif tag in {"td", "th", "caption"}:
            self._texts = []
            if tag != "caption":
                self._titles[-1].append("")
        elif tag == "div" and self._texts is not None:
            self._texts.append(" ")
        if self._texts is not None and self._titles and self._titles[-1] and (title := dict(attrs).get("title")):
            self._titles[-1][-1] += title

    def handle_data(self, data: str) -> None:
        if self._texts is not None:
            self._texts.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th", "caption"} and self._texts is not None:
            text, self._texts = " ".join("".join(self._texts).split()), None
            if tag == "caption":
                self.tables[text], self.titles[text] = self._rows, self._titles
            else:
                self._rows[-1].append(text)


def cells_of(line: str) -> list[str]:
    """The cells of a line of a table."""
    return re.split(r"\s{2,}", line.strip())


def of_line(line: str, banded: bool) -> Written:
    """What the line of one benchmark says: its name, figure, n and judge band."""
    found = re.match(
        r"\S+\s+(–|−?[\d.]+)(?: \[(−?[\d.]+), (−?[\d.]+)\])?.*?\s{2,}(\d[\d,]*(?: of \d[\d,]*)?)"
        r"(?:\s{2,}(−?[\d.]+)(?:–| to )(−?[\d.]+))?(?:$|\s{2,})", line,
    )  # fmt: skip
    assert found is not None, line
    value, low, high, n, *band = (text or "" for text in found.groups())
    assert banded or not any(band)
    return Written(value.strip("–"), low, high, n, *band)


def printed(text: str) -> str:
    """What LaTeX prints of a cell of the table for a paper."""
    text = re.sub(r"\\\\(?:\[2pt\])?|\\textbf|\$\^\{\\\w+\}\$|[{}]", "", text)
    return plain(text.replace(r"\small ", ""))


def of_data(row: Mapping[str, str]) -> Numbers:
    """A line of the data of a figure."""
    value, low, high, judge_low, judge_high = (
        float(row[name]) if row[name] else None for name in ("y", "low", "high", "judge_low", "judge_high")
    )
    return Numbers(value, low, high, int(row["asked"]), int(row["n"]), judge_low, judge_high)
