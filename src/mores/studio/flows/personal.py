r"""Personal data in a text: an address, a number, an account, found by rules that read all scripts.

text ─▶ the same length in plain digits and signs ─▶ patterns; what is found is told as it was written. Years, dates,
prices and counts are none of these: digits in groups of three are an amount, as is what stands beside a currency.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

import msgspec
import phonenumbers
from django.utils.translation import gettext as _
from stdnum import iban, luhn
from stdnum.cn import ric
from stdnum.es import dni, nie
from stdnum.in_ import pan
from stdnum.it import codicefiscale
from stdnum.mx import curp

from mores.studio.flows.fields import Field, Posted, Problems, TextField
from mores.studio.flows.flow import Flow
from mores.studio.models import Project
from mores.studio.work.records import ItemRecord


class PersonalDataKind(StrEnum):
    """Kind of personal data that a part of a text looks like."""

    MAIL = "mail"
    ACCOUNT = "account"
    CARD = "card"
    DOCUMENT = "document"
    TELEPHONE = "telephone"


class PersonalDataMatch(msgspec.Struct, frozen=True):
    """A part of a text, as it was written, and what it looks like."""

    kind: PersonalDataKind
    words: str


_MAIL = re.compile(r"[\w.+%-]{1,64}(?:@| ?[\[(](?:at|arroba)[\])] ?)[\w-]+(?:\.[\w-]+)+", re.IGNORECASE)
_SITES = (
    "instagram|facebook|fb|twitter|x|tiktok|t|telegram|wa|whatsapp|vk|weibo|linkedin|youtube|snapchat|threads|line|ok"
)
_ACCOUNTS = (
    re.compile(
        rf"(?<![\w.])(?:https?://)?(?:[\w-]{{1,40}}\.){{0,3}}(?:{_SITES})\.(?:com|me|net|ru|cn)/[^\s<>\"']{{2,}}",
        re.IGNORECASE,
    ),
    re.compile(r"(?<![0-9A-Za-z_.@])@[^\W\d][\w.]{2,}"),
    # A name after the name of a service: with a digit, a line or a point in it, as words have none.
    re.compile(
        r"(?:instagram|insta|ig|telegram|whats?app|wechat|weixin|微信|line|kakao ?talk|카카오톡|카톡|snapchat|tiktok"
        r"|qq|zalo|viber|skype|discord|facebook|واتساب|تلغرام|انستغرام)\s?(?:id|号|account|username|아이디|حساب)?\s?:\s?"
        r"(?=\S*[\d_]|\S+\.\w)[\w.+-]{4,}",
        re.IGNORECASE,
    ),
)  # fmt: skip
_NAMED = re.compile(
    r"(?:passport|pasaporte|passeport|reisepass|паспорт\w*|جواز(?: ال?سفر)?|護照|护照|パスポート|旅券|여권|पासपोर्ट"
    r"|(?<!\w)(?:dni|nie|curp|cpf|ssn|nric|aadhaar|emirates id|nin|bvn)|identity card|id (?:card|number|no\.?)|cédula"
    r"|身份证|身分證|마이넘버|주민등록|マイナンバー|आधार)"
    r"\D{0,20}?(?P<number>(?=(?:[A-Z-]*\d){5})[A-Z0-9][A-Z0-9-]{5,20})",
    re.IGNORECASE,
)
_DOCUMENTS = (
    re.compile(r"(?<![0-9A-Za-z])[A-Z]{1,2}\d{7,8}(?![0-9A-Za-z])"),  # a passport
    re.compile(r"(?<![0-9A-Za-z])\d{17}[\dXx](?![0-9A-Za-z])"),  # an identity of China
    re.compile(r"(?<![0-9A-Za-z])\d{6}-[1-8]\d{6}(?![0-9A-Za-z])"),  # an identity of Korea
    re.compile(r"(?<![0-9A-Za-z])\d{3}\.\d{3}\.\d{3}-\d{2}(?![0-9A-Za-z])"),  # an identity of Brazil
)
_IDENTITIES = (ric, dni, nie, pan, codicefiscale, curp)
"""Identities with letters, which add up by rules of their countries, so that hardly any other word is one."""
_TOKEN = re.compile(r"(?<![0-9A-Za-z])(?=[0-9A-Z]*[A-Z])(?=[A-Z]*\d)[0-9A-Z]{9,18}(?![0-9A-Za-z])")
_IBAN = re.compile(r"(?<![0-9A-Za-z])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?(?![0-9A-Za-z])")
_RUN = re.compile(r"(?<![0-9A-Za-z_.,:/+-])(?:\+ ?|\()?\d(?:[ ().\-/]{0,3}\d)*(?![0-9A-Za-z]|[.,:]\d)")
_DATE = re.compile(r"\d{4}([./-])\d{1,2}\1\d{1,2}|\d{1,2}([./-])\d{1,2}\2\d{4}")
_CALLED = re.compile(
    r"(?:tel|phone|mobile|call|whats?app|teléfono|телефон|тел|هاتف|جوال|موبايل|電話|电话|手机|전화|फ़ोन|โทร)"
    r"\W{0,3}$",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"(?:usd|eur|gbp|jpy|krw|cny|rmb|inr|idr|vnd|ngn|rp|rs|won|yen|yuan|rupiah|rupees?|dong|euros?|dollars?|pounds?|pesos?"
    r"|reais|naira|rubles?|roubles?|rials?|riyals?|dinars?|dirhams?|liras?|baht|toman|원|円|元|บาท|đồng|đ|руб\w*|ريال"
    r"|دينار|درهم|جنيه|ليرة|تومان|रुपये)(?!\w*\d)",
    re.IGNORECASE,
)  # fmt: skip
_MONEY_BEFORE = re.compile(rf"(?:{_MONEY.pattern})\W?\s?$", re.IGNORECASE)
_SIGNS = {"＠": "@", "﹫": "@", "＋": "+", "．": ".", "（": "(", "）": ")", "：": ":", "／": "/", "，": ",", "＿": "_"}


def personal(text: str) -> tuple[PersonalDataMatch, ...]:
    """Parts of a text that may tell who somebody is, in the order in which it stands there; no part is told twice.

    >>> [each.words for each in personal("Call +34 600 123 456 or write to ana@example.org, in 2024.")]
    ['+34 600 123 456', 'ana@example.org']
    >>> personal("In 2010 and 2011 it was 100,000 won, and 1 200 000 000 people.")
    ()
    """
    plain = "".join(map(_sign, text))
    found: dict[tuple[int, int], PersonalDataKind] = {}
    for start, end, kind in _all(plain):
        # The surest kinds come first, so that digits within an address are not told again as a telephone number.
        if all(end <= before or start >= after for before, after in found):
            found[start, end] = kind
    return tuple(PersonalDataMatch(kind, text[start:end]) for (start, end), kind in sorted(found.items()))


def _sign(sign: str) -> str:
    """A sign as ASCII has it, if it is a digit, a dash or the like; one for one, so that places stay the same."""
    if sign.isdecimal():
        return str(unicodedata.decimal(sign))
    category = unicodedata.category(sign)
    if category == "Pd":
        return "-"
    return " " if category in {"Zs", "Cf"} else _SIGNS.get(sign, sign)


def _all(plain: str) -> Iterator[tuple[int, int, PersonalDataKind]]:
    """Each part with what it looks like, the most certain kinds first."""
    yield from ((*each.span(), PersonalDataKind.MAIL) for each in _MAIL.finditer(plain))
    for pattern in _ACCOUNTS:
        yield from ((*each.span(), PersonalDataKind.ACCOUNT) for each in pattern.finditer(plain))
    yield from ((*each.span("number"), PersonalDataKind.DOCUMENT) for each in _NAMED.finditer(plain))
    for pattern in _DOCUMENTS:
        yield from ((*each.span(), PersonalDataKind.DOCUMENT) for each in pattern.finditer(plain))
    yield from ((*each.span(), PersonalDataKind.DOCUMENT) for each in _TOKEN.finditer(plain) if _is_identity(each[0]))
    yield from ((*each.span(), PersonalDataKind.CARD) for each in _IBAN.finditer(plain) if iban.is_valid(each[0]))
    for each in _RUN.finditer(plain):
        if kind := _number(each[0], plain[: each.start()], plain[each.end() :]):
            yield *each.span(), kind


def _number(run: str, before: str, after: str) -> PersonalDataKind | None:
    """Kind of a run of digits, None for a date, a year, an amount or what is too short or long."""
    groups = re.findall(r"\d+", run)
    digits = "".join(groups)
    # Two years in a row, as in 1990 2010, would else be eight digits of a number.
    years = all(len(group) == 4 and "1000" <= group <= "2199" for group in groups)
    abroad = run[0] == "+" or digits.startswith("00")
    reached = _is_reached(digits.lstrip("0"))
    if 13 <= len(digits) <= 19 and digits[0] in "23456" and not (abroad or reached or years) and _is_card(digits):
        return PersonalDataKind.CARD
    if (abroad or _CALLED.search(before)) and 7 <= len(digits) <= 15 and not _DATE.search(run):
        return PersonalDataKind.TELEPHONE
    if years or not 9 <= len(digits) <= 15 or _DATE.search(run) or _is_amount(run, groups, before, after):
        return None
    called = (
        reached or digits[0] == "0" or run[0] == "(" or len(groups) > 2 or (len(digits) in {10, 11} and len(groups) < 3)
    )
    return PersonalDataKind.TELEPHONE if called and (digits[0] == "0" or max(map(len, groups)) > 2) else None


def _is_amount(run: str, groups: list[str], before: str, after: str) -> bool:
    """True if digits count something: beside a currency, in threes, a decimal, or round."""
    currency = _MONEY.match(after.lstrip()) or _MONEY_BEFORE.search(before[-20:])
    signs = {unicodedata.category(sign) for sign in (before.rstrip()[-1:], after.lstrip()[:1]) if sign}
    threes = all(len(group) == 3 for group in groups[1:]) and len(groups[0]) <= 3
    decimal = re.fullmatch(r"\d+\.\d+", run)
    round_ = all(group.endswith("00") for group in groups[1:] or groups)
    return bool(currency or "Sc" in signs or (threes and "." in run) or decimal or round_)


def _is_reached(digits: str) -> bool:
    """True if digits begin with the code of a country and go on as a telephone number there."""
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(f"+{digits}"))
    except phonenumbers.NumberParseException:
        return False


def _is_card(digits: str) -> bool:
    """True if digits add up as those of cards; one digit again and again may add up as well, and is none."""
    return luhn.is_valid(digits) and len(set(digits)) > 1


def _is_identity(word: str) -> bool:
    return any(of_country.is_valid(word) for of_country in _IDENTITIES)


_NAMES = (
    re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|Señora?|Sr|Sra|Herr|Frau|M|Mme)\.? \w+"),
    re.compile(r"\b[A-Z][a-z]+ [A-Z]\. [A-Z][a-z]+\b"),
    re.compile(r"\b\d{1,4}[ ,]+(?:[A-Z][a-z]+ )+(?:Street|St|Road|Rd|Avenue|Ave|Lane)\b"),
)


def possible(text: str) -> list[str]:
    """Parts that may name a person, for a curator.

    They are a title before a name, an initial between two names, and a house in a street.

    >>> possible("Mrs. Dalloway lives at 12 Old Church Street")
    ['Mrs. Dalloway', '12 Old Church Street']
    """
    return [found for pattern in _NAMES for found in pattern.findall(text)]


SEEN = "seen"
"""Field of a form that says which warning its sender has read."""


class PersonalDataWarning(msgspec.Struct, frozen=True, kw_only=True):
    """Warnings by field, and the value with which the form is sent again."""

    problems: Problems
    seen: str


def warn(fields: Sequence[Field], values: Mapping[str, object], posted: Posted) -> PersonalDataWarning | None:
    """The warning that the words of a form want; None where they want none, or its sender has read it."""
    texts = {field.name: personal(str(values[field.name])) for field in fields if isinstance(field, TextField)}
    found = {name: parts for name, parts in texts.items() if parts}
    # A hash of what was found: a text that is changed after its warning is warned about anew.
    seen = hashlib.sha256(repr(found).encode()).hexdigest()[:16]
    if not found or seen in posted.get(SEEN, ()):
        return None
    return PersonalDataWarning(problems={name: _format_parts(parts) for name, parts in found.items()}, seen=seen)


def _format_parts(parts: Sequence[PersonalDataMatch]) -> str:
    # The words may run in another direction than the sentence.
    each = "; ".join(f"{looks_like(part.kind)}: \u2068{part.words}\u2069" for part in parts)
    warning = _("This may tell who somebody is: %(parts)s. Take it out, or send it again to store it as it is.")
    return warning % {"parts": each}


def looks_like(kind: PersonalDataKind) -> str:
    """A kind, in words."""
    match kind:
        case PersonalDataKind.MAIL:
            return _("e-mail address")
        case PersonalDataKind.ACCOUNT:
            return _("account on the web")
        case PersonalDataKind.CARD:
            return _("number of a card or bank account")
        case PersonalDataKind.DOCUMENT:
            return _("number of a passport or identity card")
        case PersonalDataKind.TELEPHONE:
            return _("telephone number")


class FlaggedText(msgspec.Struct, frozen=True, kw_only=True):
    """One text that somebody wrote (`person` is a number, no name), and what in it may tell who somebody is."""

    item: str
    person: str
    text: str
    found: tuple[PersonalDataMatch, ...]


def written(flow: Flow, project: Project, items: Sequence[ItemRecord]) -> list[FlaggedText]:
    """Every text that people wrote: in items of their own, and in answers; dropped items are left out."""
    texts = (each for item in items if item.state != "dropped" for each in _texts(flow, project, item))
    return [
        FlaggedText(item=item, person=person, text=text, found=personal(text)) for item, person, text in texts if text
    ]


def _texts(flow: Flow, project: Project, item: ItemRecord) -> Iterator[tuple[str, str, str]]:
    if item.author:
        yield from ((item.key, item.author, text) for text in _question(item.payload))
    names = [field.name for field in flow.sheet(item.payload, project).fields if isinstance(field, TextField)]
    for answer in item.answers:
        yield from ((item.key, answer.person, str(answer.answer.get(name, ""))) for name in names)


def _question(payload: Mapping[str, object]) -> Iterator[str]:
    """The words of a question that was written here, and its writer's note where that is part of the item."""
    options, writer = payload.get("options"), payload.get("writer")
    yield str(payload.get("question", ""))
    yield from map(str, options if isinstance(options, list) else ())
    yield str(writer.get("situation", "")) if isinstance(writer, dict) else ""
