"""Which norm each course of action goes against: the alignment matrix of CultureForest's figure 1."""

from typing import Literal

Stand = Literal["satisfy", "violate"]
Letter = Literal["A", "B", "C", "D"]
LETTERS: tuple[Letter, ...] = ("A", "B", "C", "D")
MATRIX: dict[Letter, tuple[Stand, Stand, Stand]] = {
    "A": ("violate", "satisfy", "satisfy"),
    "B": ("satisfy", "violate", "satisfy"),
    "C": ("satisfy", "satisfy", "violate"),
    "D": ("satisfy", "satisfy", "satisfy"),
}


def told(letter: Letter) -> str:
    """What one course of action must do, in words.

    >>> told("B")
    'B satisfies norm 1, violates norm 2 and satisfies norm 3'
    """
    first, second, third = (f"{stand.removesuffix('y')}ies" if stand == "satisfy" else "violates"
                            for stand in MATRIX[letter])  # fmt: skip
    return f"{letter} {first} norm 1, {second} norm 2 and {third} norm 3"
