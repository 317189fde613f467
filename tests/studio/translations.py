"""`python -m tests.studio.translations` brings the studio's translations up to date after a change of its words.

Words that are new come into each `django.po` with nothing opposite, those that are gone leave it, and `django.mo` is
written anew. Translate what stands empty, and run it again.
"""

import ast
import struct
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from django.template import Engine, Template, Variable
from django.template.base import Node
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.utils.translation import get_language_info

import mores.studio
from mores.norms.places import places
from mores.studio.config import StudioConfig
from mores.studio.settings import STUDIO_UNCHECKED, configure
from mores.tables.missing_texts import reason_words

ROOM = Path(mores.studio.__file__).parent
LOCALE = ROOM / "locale"
Key = tuple[str, ...]
"""What is translated: one form, or the singular and the plural."""
Said = Mapping[Key, tuple[str, ...]]
ONE = {"_", "gettext", "gettext_lazy"}
TWO = {"ngettext", "ngettext_lazy"}
PLURALS = {
    "es": "nplurals=2; plural=(n != 1);",
    "fr": "nplurals=2; plural=(n > 1);",
    "hi": "nplurals=2; plural=(n != 1);",
    "id": "nplurals=1; plural=0;",
    "sw": "nplurals=2; plural=(n != 1);",
    "ar": "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5;",
}


def spoken() -> set[Key]:
    """Everything that is marked for translation, in code, in templates, and in titles of data."""
    from mores.studio.templatetags.studio import REASONS  # noqa: PLC0415 - it imports models, which a studio has set up

    found: set[Key] = set()
    for path in ROOM.rglob("*.py"):
        found |= set(_in_code(ast.parse(path.read_text(encoding="utf-8"))))
    own = {path.stem: f"mores.studio.templatetags.{path.stem}" for path in ROOM.glob("templatetags/[a-z]*.py")}
    builtins = ["django.templatetags.i18n", "django.templatetags.static", *own.values()]
    engine = Engine(libraries=own, builtins=builtins)
    for path in ROOM.rglob("*.html"):
        found |= set(_in_template(Template(path.read_text(encoding="utf-8"), engine=engine)))
    for path in ROOM.rglob("*.toml"):
        parts = tomllib.loads(path.read_text(encoding="utf-8")).values()
        found |= {(part["title"],) for part in parts if isinstance(part, dict) and "title" in part}
    found |= {(each.name,) for each in places() if each.parent is not None}
    found |= {(reason_words(code),) for code in REASONS}
    return found


def _in_code(tree: ast.AST) -> Iterator[Key]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ONE | TWO:
            texts = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            if texts:  # words, not the name of some
                yield tuple(texts[: 1 if node.func.id in ONE else 2])


def _in_template(template: Template) -> Iterator[Key]:
    for node in template.nodelist.get_nodes_by_type(Node):
        if isinstance(node, TranslateNode):
            said = node.filter_expression.var
            if isinstance(said, Variable) and said.lookups is None:  # words, not the name of some
                yield (str(said.literal).replace("%", "%%"),)  # as Django looks it up
        elif isinstance(node, BlockTranslateNode):
            forms = (node.singular, node.plural) if node.plural else (node.singular,)
            yield tuple(node.render_token_list(form)[0] for form in forms)


def read_po(path: Path) -> dict[Key, tuple[str, ...]]:
    """What a file translates; its head is not part of that."""
    said: dict[Key, tuple[str, ...]] = {}
    # An entry begins with its msgid: where two branches came together it may have no empty line before it.
    for entry in path.read_text(encoding="utf-8").split("\nmsgid ") if path.exists() else ():
        key: list[str] = []
        forms: list[str] = []
        here = key
        for line in f"msgid {entry}".splitlines():
            word, _, rest = line.partition(" ")
            if word.startswith("msg") and rest.startswith('"'):
                here = forms if word.startswith("msgstr") else key
                here.append(ast.literal_eval(rest))
            elif line.startswith('"'):
                here[-1] += ast.literal_eval(line)
        if key and key != [""]:
            said[tuple(key)] = tuple(forms)
    return said


def po(language: str, said: Said) -> str:
    """A file of translations, its entries in the order of the alphabet."""
    parts = ['msgid ""\nmsgstr ""\n' + "".join(f"{_quoted(line)}\n" for line in head(language).splitlines(True))]
    for key, forms in sorted(said.items()):
        lines = [f"msgid {_quoted(key[0])}", *(f"msgid_plural {_quoted(text)}" for text in key[1:])]
        numbered = len(key) == 2
        lines += [f"msgstr{f'[{n}]' if numbered else ''} {_quoted(form)}" for n, form in enumerate(forms)]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def head(language: str) -> str:
    """What a translation says of itself."""
    checked = "X-Checked-By-A-Speaker: no\n" if language in STUDIO_UNCHECKED else ""
    return (
        f"Content-Type: text/plain; charset=UTF-8\nLanguage: {language}\nPlural-Forms: {PLURALS[language]}\n{checked}"
    )


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def mo(language: str, said: Said) -> bytes:
    """The same as the table of binary strings that gettext reads; what is not translated is left out."""
    rows = {b"": head(language).encode()}
    rows |= {"\0".join(key).encode(): "\0".join(forms).encode() for key, forms in said.items() if all(forms)}
    keys = sorted(rows)
    start = 28 + 16 * len(keys)
    ids, texts = b"".join(key + b"\0" for key in keys), b"".join(rows[key] + b"\0" for key in keys)
    table, at = [], start
    for column in (keys, [rows[key] for key in keys]):
        for each in column:
            table += [len(each), at]
            at += len(each) + 1
    return (
        struct.pack(f"<7I{len(table)}I", 0x950412DE, 0, len(keys), 28, 28 + 8 * len(keys), 0, start, *table)
        + ids
        + texts
    )


def folder(language: str) -> Path:
    """Where a language's files lie."""
    return LOCALE / language / "LC_MESSAGES"


def forms_of(language: str, key: Key) -> int:
    """How many forms a translation has."""
    return 1 if len(key) == 1 else int(PLURALS[language][9])


def main() -> None:
    """Bring every language up to date, and say what is still to be translated."""
    configure(StudioConfig(folder=Path(tempfile.mkdtemp())))
    words = spoken()
    for language in PLURALS:
        known = read_po(folder(language) / "django.po")
        said = {key: known.get(key, ("",) * forms_of(language, key)) for key in words}
        folder(language).mkdir(parents=True, exist_ok=True)
        (folder(language) / "django.po").write_text(po(language, said), encoding="utf-8")
        (folder(language) / "django.mo").write_bytes(mo(language, said))
        empty = [key[0] for key, forms in said.items() if not all(forms)]
        print(f"{get_language_info(language)['name']}: {len(said)} entries, {len(empty)} empty")  # noqa: T201
        for text in sorted(empty):
            print(f"  {text}")  # noqa: T201


if __name__ == "__main__":
    main()
