"""A question that is put here, as the replies of a log are matched with it."""

from typing import NamedTuple


class LabelledOption(NamedTuple):
    """A label of a question: the word that it is read by, how an answer says it, and the option that it stands for."""

    label: str
    way: str
    text: str


class LoggedQuestion(NamedTuple):
    """A question that is put here: its item, all its words, and what fills its prompt.

    `choices` are its labels, of which `by_position` ones stand for options in our order. `ids` are what the data call
    its item, by their column. `right` are the words of the right answer, where there is one.
    """

    item: str
    words: str
    parts: tuple[str, ...]
    choices: tuple[LabelledOption, ...] = ()
    by_position: bool = False
    ids: tuple[tuple[str, str], ...] = ()
    right: tuple[str, ...] = ()

    @property
    def stem(self) -> tuple[str, ...]:
        """What fills its prompt but for the options."""
        options = {choice.text for choice in self.choices}
        return tuple(part for part in self.parts if part not in options)
