"""The doors of data: bytes ⇄ nouns, strict on the way in and canonical on the way out.

msgspec reads; where it cannot, pydantic reads again and says what is wrong, or takes what only it takes, such as
paths. It costs as much as all else that a run imports before its first call, and most files are sound.

What comes from outside (files, HTTP, model output) is checked here, and unknown fields are refused with a
line that names them. What goes out has one spelling, so equal values have equal bytes and equal hashes.
"""

import hashlib
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import MISSING, field, fields, is_dataclass, make_dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec
import tomli
from msgspec import Struct

from mores.core.errors import InputError


def is_kind(kind: Any) -> bool:
    """True of a kind of nouns: a class of structs, or a dataclass."""
    return isinstance(kind, type) and (issubclass(kind, Struct) or is_dataclass(kind))


def is_noun(value: object) -> bool:
    """True of a struct and of an instance of a dataclass."""
    return is_kind(type(value))


def field_names(noun: Any) -> tuple[str, ...]:
    """The names of a noun's fields, in the order of their declaration; of its kind, too."""
    names: tuple[str, ...] | None = getattr(noun, "__struct_fields__", None)
    return tuple(each.name for each in fields(noun)) if names is None else names


T = TypeVar("T")
UNREADABLE = (msgspec.DecodeError, ValueError, RecursionError)
"""What comes of words that are not JSON, TOML or UTF-8, that nest too deep or hold a number past all use."""
_NESTED = (list, tuple, dict)
_NOTHING = (MISSING, msgspec.NODEFAULT)
_STRANGE = (*UNREADABLE, KeyError, TypeError, AttributeError, IndexError, OverflowError)

_canonical = msgspec.json.Encoder(order="deterministic")
_plain = msgspec.json.Encoder()


def encode(value: object) -> bytes:
    """JSON of a noun, its fields in the order of their declaration: one spelling for one value."""
    return _plain.encode(value)


def canonical(value: object) -> bytes:
    """JSON with sorted keys, for hashing: equal values give equal bytes."""
    return _canonical.encode(value)


def digest(value: object, *, length: int = 12) -> str:
    """First `length` hex digits of the SHA-256 of the canonical JSON of a value."""
    return hashlib.sha256(canonical(value)).hexdigest()[:length]


def parse_json(data: bytes | str, *, where: str) -> Any:
    """Plain Python value of a JSON text.

    Raises:
        InputError: the text is not JSON; the line says where.
    """
    try:
        return msgspec.json.decode(data)
    except UNREADABLE as error:
        raise InputError(f"{where}: not JSON ({error}).") from error


def parse_lines(text: str, *, where: str, expected: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of JSON Lines that people made, each with the number of its line; blank lines are passed over.

    Raises:
        InputError: a line is not JSON, or no object; the message names the line.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            row = parse_json(line, where=f"{where}:{number}")
            if not isinstance(row, dict):
                raise InputError(f"{where}:{number}: expected {expected}; got {line.strip()[:60]}.")
            yield number, row


def encode_lines(values: Iterable[object]) -> bytes:
    """JSON Lines, a line a noun."""
    return _plain.encode_lines(values)


def decode_lines(decoder: msgspec.json.Decoder[T], lines: Iterable[bytes], *, where: str, what: str) -> Iterator[T]:
    """The nouns of JSON Lines.

    Raises:
        InputError: a line is not `what` is expected; the message names the line.
    """
    for number, line in enumerate(lines, start=1):
        yield decode_line(decoder, line, where=f"{where}:{number}", what=what)


def decode_line(decoder: msgspec.json.Decoder[T], line: bytes, *, where: str, what: str) -> T:
    """The noun of one line.

    Raises:
        InputError: it is not `what` is expected.
    """
    try:
        return decoder.decode(line)
    except UNREADABLE as error:
        raise InputError(f"{where}: no {what}, or one that is cut ({error}).") from error


def read_toml(path: Path) -> dict[str, Any]:
    """Table of a TOML file.

    Raises:
        InputError: the file cannot be read or is not TOML; the line says where.
    """
    text = read_text(path)
    try:
        return tomli.loads(text)
    except UNREADABLE as error:
        raise InputError(f"{path}: not TOML ({error}).") from error


def read_text(path: Path) -> str:
    """Text of a UTF-8 file, a byte-order mark left out.

    Raises:
        InputError: the file is missing, cannot be read or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8.") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error
    except ValueError as error:  # a name that no file can have
        raise InputError(f"{path}: cannot be read ({error}).") from error


@contextmanager
def reading(where: str, what: str) -> Iterator[None]:
    """Turn what goes wrong while plain values of a user's file are taken apart into one line.

    Raises:
        InputError: they are not shaped as `what` is.
    """
    try:
        yield
    except _STRANGE as error:
        text = str(error)[:120] or type(error).__name__
        missing = f"no {text}" if isinstance(error, KeyError) else text
        raise InputError(f"{where}: not {what} ({missing}).") from error


def build(kind: type[T], data: object, *, where: str) -> T:
    """A noun from plain values (of JSON, TOML or CSV), checked field by field.

    Raises:
        InputError: a field is unknown, missing or of another kind; the line says where and what is known.
    """
    with reading(where, "what is expected here"):
        _refuse_unknown(kind, data, where)
    if _plain_kind(cast(Hashable, kind)):
        with suppress(msgspec.ValidationError, RecursionError, OverflowError, UnicodeError):
            return msgspec.convert(data, kind)
    return _read_again(kind, data, where)


def _read_again(kind: type[T], data: object, where: str) -> T:
    """The same by pydantic, whose words on what is wrong are for people.

    Raises:
        InputError: a field is missing or of another kind.
    """
    from pydantic import ValidationError  # noqa: PLC0415 - heavy, and few need it

    try:
        read = _adapter(cast(Hashable, kind)).validate_python(data)
        return msgspec.convert(read, kind, from_attributes=True) if _holds_struct(kind) else cast(T, read)
    except ValidationError as error:
        first = error.errors()[0]
        spot = ".".join(str(part) for part in first["loc"]) or "the whole"
        got = "" if "url" in spot else f"; got {_shown(first['input'])}"  # an address may hold a secret
        raise InputError(f"{where}: {spot}: {first['msg']}{got}.") from error
    except (RecursionError, OverflowError, UnicodeError) as error:
        raise InputError(f"{where}: not what is expected here ({error}).") from error


def _shown(value: object) -> str:
    """The beginning of what came, of no use where it nests without end or is a number of thousands of digits."""
    try:
        return repr(str(value)[:80])
    except (RecursionError, ValueError):
        return f"a {type(value).__name__} that cannot be shown"


def _refuse_unknown(kind: Any, data: object, where: str) -> None:
    """Refuse a field that a noun, or one inside it, does not have."""
    if not _holds_noun(kind):
        return
    if isinstance(data, list | tuple):
        of = _kind_of_rows(kind)
        for number, value in enumerate(data, start=1):
            if isinstance(value, _NESTED):
                _refuse_unknown(of, value, f"{where} {number}")
    elif isinstance(data, dict) and get_origin(kind) is dict:
        of = get_args(kind)[1]
        for name, value in data.items():
            if isinstance(value, _NESTED):
                _refuse_unknown(of, value, f"{where}: {name}")
    elif isinstance(data, dict):
        _refuse_unknown_fields(_nouns_among(kind), data, where)


def _refuse_unknown_fields(kinds: tuple[Any, ...], data: dict[Any, object], where: str) -> None:
    """Of several kinds that may be meant, a field must belong to one; only of one kind can its inside be looked at."""
    known = _known_fields(kinds)
    if kinds and not data.keys() <= known.keys():
        unknown = sorted(str(name) for name in data if name not in known)
        raise InputError(f"{where}: unknown field {unknown}; known are {sorted(known)}.")
    for name in _fields_of_nouns(kinds):
        if isinstance(data.get(name), _NESTED):
            _refuse_unknown(known[name], data[name], f"{where}: {name}")


@cache
def _holds_noun(kind: Any) -> bool:
    """True of a noun, and of what has one in it at any depth."""
    return is_kind(kind) or any(map(_holds_noun, get_args(kind)))


@cache
def _nouns_among(kind: Any) -> tuple[Any, ...]:
    """A kind, or those that it leaves open, that have fields."""
    return tuple(each for each in (kind, *get_args(kind)) if is_kind(each))


@cache
def _kind_of_rows(kind: Any) -> Any:
    """The one kind that the rows of a list are of; None where there are several, or none."""
    rows = next((each for each in (kind, *get_args(kind)) if get_origin(each) in {list, tuple}), None)
    inner = [each for each in get_args(rows) if each is not Ellipsis]
    return inner[0] if len(inner) == 1 else None


@cache
def _fields_of_nouns(kinds: tuple[Any, ...]) -> tuple[str, ...]:
    """The fields of the one kind that hold nouns; nothing where several kinds may be meant."""
    return tuple(name for name, hint in _known_fields(kinds).items() if _holds_noun(hint)) if len(kinds) == 1 else ()


@cache
def _known_fields(kinds: tuple[Any, ...]) -> dict[str, Any]:
    return {name: hint for kind in kinds for name, hint in _hints(kind).items()}


@cache
def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    if _is_struct(kind):
        # By the name in the file, which `field(name=…)` sets: what is read is held against these.
        return {
            stored: hints[name]
            for stored, name in zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True)
        }
    return {f.name: hints[f.name] for f in fields(kind) if f.init}


@cache
def _plain_kind(kind: Any) -> bool:
    """True where msgspec can read the kind: not where it has two nouns to choose from, for one."""
    try:
        msgspec.json.Decoder(kind)
    except TypeError:
        return False
    return True


@cache
def _adapter(kind: Any) -> Any:
    from pydantic import TypeAdapter  # noqa: PLC0415 - heavy, and few need it

    return TypeAdapter(_known_to_pydantic(kind))


def _known_to_pydantic(kind: Any, within: tuple[Any, ...] = ()) -> Any:
    """The same kind with a dataclass in the place of each struct, as pydantic knows none."""
    if not _holds_struct(kind):
        return kind
    if kind in within:
        return Any  # a noun that may hold one of its own kind: msgspec has read what lies within
    if _is_struct(kind) or is_dataclass(kind):
        return _dataclass_of(kind, within)
    inner = tuple(_known_to_pydantic(each, within) for each in get_args(kind))
    return Union[inner] if get_origin(kind) in {Union, UnionType} else get_origin(kind)[inner]  # noqa: UP007 - made here


def _holds_struct(kind: Any, within: tuple[Any, ...] = ()) -> bool:
    """True of a struct, and of what has one in it at any depth."""
    if _is_struct(kind) or kind in within:
        return _is_struct(kind)
    inner = _hints(cast(Hashable, kind)).values() if is_dataclass(kind) else get_args(kind)
    return any(_holds_struct(each, (*within, kind)) for each in inner)


@cache
def _dataclass_of(kind: Any, within: tuple[Any, ...]) -> Any:
    """A dataclass with the fields of a noun."""
    hints, given = _hints(kind), list[Any]()
    for each in msgspec.structs.fields(kind) if _is_struct(kind) else fields(kind):
        name = getattr(each, "encode_name", each.name)
        if name in hints:
            stated = {kept: getattr(each, kept) for kept in ("default", "default_factory")}
            defaults: dict[str, Any] = {kept: value for kept, value in stated.items() if value not in _NOTHING}
            given.append((name, _known_to_pydantic(hints[name], (*within, kind)), field(**defaults)))
    return make_dataclass(kind.__name__, given, frozen=True, kw_only=True)


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)
