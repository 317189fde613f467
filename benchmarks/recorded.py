"""What was measured, put between its marks in a document."""

from pathlib import Path

MARK = "<!-- measured: {name}, {edge} -->"


def record(path: Path, name: str, text: str) -> None:
    """Put what was measured between its marks in a document."""
    begin, end = (MARK.format(name=name, edge=edge) for edge in ("begin", "end"))
    before, _, rest = path.read_text(encoding="utf-8").partition(begin)
    path.write_text(f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}", encoding="utf-8")
