"""What the documents say can be done: commands name real verbs and flags, links lead somewhere, examples load."""

import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer.main
from msgspec.structs import fields, replace

from docs.pages import FENCE, ROOT, broken_links, documents, links
from docs.site import generated
from mores.cli.app import DEFAULTS, VERBS, app
from mores.core.prompt import Prompt
from mores.models.simulated import PRESETS, parse_planted
from mores.runs.cost_estimate import estimate
from mores.runs.spec import ExecutionSpec, Spec, check
from mores.runs.specify import read_study

ALL: Any = typer.main.get_command(app)
OF_OTHERS = {"--action", "--cache", "--deploy", "--gen", "--model-role",
    "--help", "--version", "--pdb", "--record", "--generation-config", "--log", "--no-enable-chunked-prefill",
    "--max-num-batched-tokens",
}  # fmt: skip
"""Flags that stand in documents and are of other programs, or of the whole command line."""
MAKE = re.compile(r"^([a-z-]+):", re.MULTILINE)


class Typed(NamedTuple):
    """A line of a document that somebody would type."""

    page: str
    words: tuple[str, ...]


def blocks(page: Path, language: str) -> Iterator[str]:
    for block in FENCE.findall(page.read_text(encoding="utf-8")):
        head, _, rest = block.partition("\n")
        if head == f"```{language}":
            yield rest.removesuffix("```")


def typed(program: str) -> list[Typed]:
    """All command lines of a program in the documents, without their remarks."""
    lines = [
        (page, line)
        for page in documents()
        for block in blocks(page, "sh")
        for line in block.replace("\\\n", " ").splitlines()
        if line.startswith(f"{program} ") or line == program
    ]
    return [Typed(str(page.relative_to(ROOT)), tuple(shlex.split(line, comments=True)[1:])) for page, line in lines]


def verb(words: tuple[str, ...]) -> tuple[Any, list[str]]:
    """The command that a line names, and the words after it."""
    command, rest = ALL, list(words)
    while hasattr(command, "list_commands"):
        default = DEFAULTS.get(command.name)
        if default and (not rest or rest[0] not in command.list_commands(None)):
            rest = [default, *rest]
        command = command.get_command(None, rest.pop(0))
    return command, rest


def flags(words: str) -> set[str]:
    return {flag for each in verb(tuple(words.split()))[0].params for flag in (*each.opts, *each.secondary_opts)}


MORES = [line for line in typed("mores") if line.words]


@pytest.mark.parametrize("line", MORES, ids=lambda line: " ".join(line.words)[:60])
def test_every_command_in_the_documents_is_one_that_mores_takes(line: Typed) -> None:
    if line.words == ("--help",):
        return
    command, rest = verb(line.words)
    words = [word.replace("…", "x") for word in rest]
    with command.make_context(line.words[0], words) as context:
        assert not context.args


def test_the_workflow_that_is_shown_is_yaml_and_its_commands_are_ones_that_mores_takes() -> None:
    (text,) = blocks(ROOT / "docs" / "ci.md", "yaml")
    workflow = pytest.importorskip("yaml").safe_load(text)
    steps = workflow["jobs"]["compare"]["steps"]
    lines = [shlex.split(step["run"])[1:] for step in steps if step.get("run", "").startswith("mores ")]
    assert [line[0] for line in lines] == ["run", "compare"]
    for line in lines:
        test_every_command_in_the_documents_is_one_that_mores_takes(Typed("docs/ci.md", tuple(line)))
    run, compared = lines
    assert run[run.index("--out") + 1] == compared[2]
    kept = next(step["with"]["path"] for step in steps if "upload-artifact" in step.get("uses", ""))
    assert compared[compared.index("--out") + 1] == kept


def test_there_are_commands_in_the_documents() -> None:
    assert len(MORES) > 25
    assert typed("make")


def test_every_flag_that_a_document_names_is_one_that_mores_takes() -> None:
    known = {flag for words, each in VERBS.items() if each.act for flag in flags(words)}
    for page in documents():
        if page.name in {"CHANGELOG.md", "cli-reference.md", "speed.md"} or "decisions" in page.parts:
            continue
        words = FENCE.sub("", page.read_text(encoding="utf-8"))
        typed = {
            word for code in re.findall(r"`([^`\n]+)`", words) for word in re.findall(r"(?<![\w-])--[a-z][a-z-]+", code)
        }
        assert typed - known - OF_OTHERS == set(), page.name


def test_the_page_of_the_command_line_is_short_and_names_every_verb_at_the_top() -> None:
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 5_000
    assert [name for name in VERBS if " " not in name and not re.search(rf"`(mores )?{name}[` ]", text)] == []


def test_every_make_target_in_the_documents_is_in_the_makefile() -> None:
    targets = set(MAKE.findall((ROOT / "Makefile").read_text(encoding="utf-8")))
    assert {line.words[0] for line in typed("make")} <= targets
    assert {"run", "test", "check", "lint", "speed", "soak", "lock", "docs"} <= targets


def test_ci_runs_what_the_readme_says() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    readme = [" ".join(("make", *line.words)) for line in typed("make") if line.page == "README.md"]
    assert readme == ["make run", "make real", "make test"]
    assert re.search(r"^make test\b", script, re.MULTILINE)
    assert re.search(r"^make real-test\b", script, re.MULTILINE)  # `make real` in short, with claims


def test_every_link_leads_somewhere() -> None:
    assert [f"{link.page.name} → {link.target}" for link in broken_links()] == []
    assert sum(1 for page in documents() for _ in links(page)) > 20


def test_every_document_is_reached_from_the_readme() -> None:
    seen: set[Path] = set()
    ahead = [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        seen.add(page)
        found = {(page.parent / (link.target.partition("#")[0] or page.name)).resolve() for link in links(page)}
        found |= {child for folder in found if folder.is_dir() for child in folder.glob("*.md")}
        ahead += [target for target in found if target.suffix == ".md" and target.is_file() and target not in seen]
    assert {page for page in documents() if "docs" in page.parts} - seen == set()


def test_every_document_has_its_place_on_the_site() -> None:
    nav = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]["nav"]
    written = [str(page.relative_to(ROOT)) for page in documents()]
    assert sorted(paths(nav)) == sorted([*written, *generated()]), "zensical.toml lists each under nav"


def paths(nav: Any) -> Iterator[str]:
    """The pages of a navigation, as deep as it goes."""
    if isinstance(nav, str):
        yield nav
    else:
        yield from (path for part in (nav.values() if isinstance(nav, dict) else nav) for path in paths(part))


def test_the_study_in_the_documents_can_be_run_within_its_budget(tmp_path: Path, cultural: Path) -> None:
    (text,) = (b for b in blocks(ROOT / "docs" / "start.md", "toml") if "STUDY.toml" in b)
    (tmp_path / "STUDY.toml").write_text(text, encoding="utf-8")
    spec, conditions = read_study(tmp_path / "STUDY.toml")
    check(spec, conditions)
    assert conditions.max_cost is not None
    assert None not in {evaluation.cost for evaluation in estimate(replace(spec, data=str(cultural), places=()))}


def test_the_reference_has_every_field_of_a_study() -> None:
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8").partition("\n### The fields of a study\n")[2]
    table, _, rest = text.partition("\n### ")[0].partition("Under `[conditions]`")
    told = set(re.findall(r"^\| `\[?(\w+)\]?` \|", table, re.MULTILINE))
    assert told == {field.name for field in fields(Spec)}
    assert {field.name for field in fields(ExecutionSpec)} <= set(re.findall(r"`(\w+)", rest))


def test_the_prompt_and_the_reader_that_are_shown_to_contributors_are_sound(tmp_path: Path) -> None:
    page = ROOT / "CONTRIBUTING.md"
    (prompt,) = (b for b in blocks(page, "") if b.startswith("+++"))
    (tmp_path / "table.prompt.md").write_text(prompt, encoding="utf-8")
    assert Prompt.read(tmp_path / "table.prompt.md").slots == {"place", "act"}
    code, *_ = blocks(page, "python")  # the others are run by test_toy_family.py and test_brought.py
    found: dict[str, Any] = {"__file__": str(tmp_path / "benchmark.py")}
    exec(compile(code, "CONTRIBUTING.md", "exec"), found)
    assert callable(found["benchmark"])


def test_the_map_of_the_house_names_rooms_and_files_that_there_are() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n## The house\n")[2]
    drawn, told = page.partition("\n## ")[0].split("```")[1:3]
    house = ROOT / "src" / "mores"
    rooms = {name.strip() for line in drawn.strip().splitlines() for name in line.split("  ")[0].split("|")}
    assert rooms == {found.parent.name for found in house.glob("*/__init__.py")}
    files = re.findall(rf"`((?:{'|'.join(rooms)})/[\w./]*)`", told)
    assert len(files) > 30
    assert [name for name in files if not (house / name).exists()] == []


def test_every_simulated_respondent_that_is_named_can_be_planted() -> None:
    named_there = r"(?<!--fact )simulated/[\w:=.,-]*\w"
    specs = {w for page in documents() for w in re.findall(named_there, page.read_text(encoding="utf-8"))}
    named = {spec for spec in specs if spec.removeprefix("simulated/").isascii() and not spec.endswith("NAME")}
    assert {f"simulated/{preset}" for preset in ("typical", "uneven")} <= named
    for spec in named:
        assert parse_planted(spec).name in PRESETS


def test_the_readme_is_short_and_the_house_has_its_papers() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 120
    for name in ("LICENSE", "LICENSE-DATA", "CITATION.cff", "CHANGELOG.md", "CONTRIBUTING.md", "ETHICS.md"):
        assert (ROOT / name).stat().st_size > 500


def test_locks_pin_every_package_by_hash_and_name_no_index() -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text(encoding="utf-8")
        pins = re.findall(r"^[a-z0-9][\w.-]*==", text, re.MULTILINE)
        assert len(pins) > 20
        assert len(re.findall(r"^[a-z0-9][\w.-]*==[^\n]*\\\n    --hash=sha256:", text, re.MULTILINE)) == len(pins)
        assert "://" not in text
        assert "torch" not in text


def test_the_development_lock_agrees_with_the_one_that_users_get() -> None:
    pin = re.compile(r"^([a-z0-9][\w.-]*==\S+)", re.MULTILINE)
    run, test = (
        set(pin.findall((ROOT / name).read_text(encoding="utf-8")))
        for name in ("requirements.lock", "requirements-dev.lock")
    )
    assert run <= test


def test_every_dependency_of_the_package_is_in_the_lock() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.split(r"[\[><=~]", need)[0].casefold() for need in project["dependencies"]}
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert [name for name in names if f"\n{name}==" not in lock] == []


def test_no_source_is_hidden_from_git_by_what_it_ignores() -> None:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("no git checkout")
    sources = [p for room in ("src", "tests", "docs", "benchmarks") for p in (ROOT / room).rglob("*.py")]
    names = "\n".join(str(path.relative_to(ROOT)) for path in sources)
    asked = subprocess.run(
        ["git", "check-ignore", "--no-index", "--stdin"],
        cwd=ROOT,
        input=names,
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.stdout.splitlines() == []
