"""What a line on a person says of them: age, gender and field of work, as groups of figures.

The lines are free English, so that of some people a thing cannot be read; they are in no such group, and are counted.
"""

import re

_AGE = re.compile(r"\b(\d{1,3})[- ]years?\b", re.IGNORECASE)
_BANDS = ((25, "under 25"), (30, "25 to 29"), (35, "30 to 34"))
_OLDEST = "35 and over"
_GENDERS = {
    "female": re.compile(r"\b(?:female|woman|girl|mother|mom|wife|girlfriend)\b", re.IGNORECASE),
    "male": re.compile(r"\b(?:male|man|boy|father|dad|husband|boyfriend)\b", re.IGNORECASE),
}
_FIELDS = {
    "study": r"students?|graduate",
    "computing": r"(?-i:IT)|software|system analyst|data analyst|programm\w+|developer|technologist",
    "engineering": r"engineer|architect|electrician",
    "teaching and research": r"teach\w+|educator|professor|lecturer|scholar|researcher|anthropologist|environmentalist"
    r"|scientist|biologist|historian|librarian",
    "health and care": r"nurse|doctor|physician|medical|dentist|therapist|psychologist|caregiver|social worker",
    "arts and media": r"artist|danc\w+|choreographer|designer|musician|actor|actress|writer|editor|journalist"
    r"|photographer|translator|filmmaker|singer",
    "business and office": r"manager|consultant|financ\w+|accountant|bank\w+|market\w+|business\w*|entrepreneur|sales"
    r"|secretary|human resources|lawyer|clerk|executive|economist|non-profit",
    "trades and service": r"chef|cook|baker|waiter|waitress|driver|worker|farmer|guide|barista|mechanic|shopkeeper",
}
"""Kinds of work by the words that tell them; the first that fits counts, so a student of medicine studies."""
_WORK = {field: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for field, words in _FIELDS.items()}

ATTRIBUTES = ("age", "gender", "occupation")


def attributes_of(words: str) -> dict[str, str]:
    """Age band, gender and field of work of a person, those that the words tell.

    >>> attributes_of("Ilse: a 30-year-old woman, choreographer in Perth.")
    {'age': '30 to 34', 'gender': 'female', 'occupation': 'arts and media'}
    >>> attributes_of("Alex, somebody from Japan.")
    {}
    """
    age = _AGE.search(words)
    gender = [name for name, pattern in _GENDERS.items() if pattern.search(words)]
    found = {
        "age": next((band for end, band in _BANDS if int(age[1]) < end), _OLDEST) if age else "",
        "gender": gender[0] if len(gender) == 1 else "",
        "occupation": next((field for field, pattern in _WORK.items() if pattern.search(words)), ""),
    }
    return {name: value for name, value in found.items() if value}
