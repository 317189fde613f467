"""A project's design as one file that goes with a paper: how people were asked, with no people, answers or secrets.

project ─▶ TOML ─▶ a project like it, in this studio or another. What a design has of a project is every column of its
own that is plain, so that a column which comes to the table comes into designs too; `NOT_DESIGN` names the others.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import tomli
import tomli_w
from django.core.exceptions import ValidationError

from mores.core.codec import UNREADABLE, canonical, parse_json
from mores.core.errors import InputError, UnknownName
from mores.norms.places import places
from mores.studio.accounts.links import join
from mores.studio.flows.flow import flow_named, flows
from mores.studio.flows.form.project_forms import FORM, form_text
from mores.studio.models import Account, CountrySubgroup, Guideline, GuidelineKind, Project, RegionQuota, Role
from mores.studio.web.forms import free_slug
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing

VERSION = 1
NOT_DESIGN = frozenset({"id", "slug", "state", "feeds", "public", "made_at"})
"""What is this project's alone: its address, how far it is, who may read of it, and the project it leads to."""
GROUPS, QUOTAS = ("code", "name", "country"), ("region", "items", "people")
KINDS: Mapping[type, str] = {
    str: "a text", int: "a whole number", bool: "true or false", float: "a number", list: "a list", dict: "a table"
}  # fmt: skip


def design_of(project: Project) -> bytes:
    """The design of a project; the same project gives the same bytes.

    Raises:
        InputError: a setting is null, which TOML has no word for.
    """
    columns = {name: getattr(project, name) for name in _columns()}
    # A database may keep the keys of an object in another order than they came in.
    columns["settings"] = {name: value for name, value in project.settings.items() if name != FORM}
    plain = parse_json(canonical(columns), where=project.slug)
    form = form_text(project)
    design = {
        "studio_design": VERSION,
        **{name: plain[name] for name in columns},
        **({FORM: tomli.loads(form)} if form else {}),
        "guidelines": _newest_guidelines(project),
        "quotas": [_row(each, QUOTAS) for each in project.region_quotas.order_by("region")],
        "screening": {"groups": [_row(each, GROUPS) for each in project.groups.order_by("code")]},
    }
    tables = [name for name, value in design.items() if isinstance(value, dict)]
    ordered = {name: value for name, value in design.items() if name not in tables} | {n: design[n] for n in tables}
    try:
        return tomli_w.dumps(ordered, multiline_strings=True).encode()
    except TypeError as error:
        raise InputError(
            f"{project.slug}: settings or questions hold null, which TOML has not; leave it out."
        ) from error


def _columns() -> list[str]:
    """Names of a project's own plain columns, in the order of the table."""
    fields = [each for each in Project._meta.concrete_fields if each.name not in NOT_DESIGN]
    return [each.name for each in fields if not each.is_relation]


def _newest_guidelines(project: Project) -> dict[str, str]:
    found = Guideline.objects.filter(project=project).order_by("kind", "version").values_list("kind", "text")
    return {kind: text.replace("\r\n", "\n").replace("\r", "\n") for kind, text in found}


def _row(row: Any, names: Sequence[str]) -> dict[str, object]:
    return {name: value for name in names if (value := getattr(row, name)) is not None}


def make_from(text: str, *, where: str, owners: Sequence[Account]) -> Project:
    """A new project of a design, owned by these accounts; all of it, or nothing.

    Raises:
        InputError: it is not TOML or no design; the line names the file, the key, what came and what was expected.
    """
    try:
        data = tomli.loads(text)
    except UNREADABLE as error:
        raise InputError(f"{where}: not TOML ({error}).") from error
    if data.pop("studio_design", None) != VERSION:
        raise InputError(f"{where}: studio_design: expected {VERSION}; export a project's design to see one.")
    known = {*_columns(), FORM, "guidelines", "quotas", "screening"}
    if unknown := sorted(set(data) - known):
        raise InputError(f"{where}: unknown key '{unknown[0]}'; known are {', '.join(sorted(known))}.")
    project = _project(data, where)
    rows = [*_quotas(project, _list(data, "quotas", where), where), *_groups(project, data, where)]
    guidelines = _guidelines(project, _typed(data.get("guidelines", {}), dict, f"{where}: guidelines"), where)
    with writing() as now:
        project.slug = free_slug(project.name)
        project.save()
        for row in (*rows, *guidelines):
            row.save()
        for owner in owners:
            join(project, owner, Role.OWNER)
        about = {"flow": project.flow, "design": where.rpartition("/")[2]}
        record(project.pk, "make", about, who=owners[0].pk if owners else None, at=now)
    return project


def _project(data: Mapping[str, Any], where: str) -> Project:
    project = Project()
    for name in _columns():
        if name in data:
            kind = type(getattr(project, name))
            setattr(project, name, _typed(data[name], kind, f"{where}: {name}"))
    if project.flow not in flows():
        raise UnknownName("flow", project.flow, flows(), where=f"{where}: flow")
    if FORM in data:
        project.settings[FORM] = tomli_w.dumps(_typed(data[FORM], dict, f"{where}: {FORM}"))
    _checked(project, where, exclude={"slug"})
    if project.quota < 1:
        raise InputError(f"{where}: quota: got {project.quota}; expected 1 or more.")
    try:
        flow_named(project.flow).check(project.settings, project.questions)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error
    return project


def _quotas(project: Project, rows: Sequence[object], where: str) -> Iterator[RegionQuota]:
    for number, row in enumerate(rows, start=1):
        here = f"{where}: quotas {number}"
        built = RegionQuota(project=project, **_values(row, QUOTAS, "region", here))
        yield _checked(built, here, exclude={"project"})


def _groups(project: Project, data: Mapping[str, Any], where: str) -> Iterator[CountrySubgroup]:
    screening = _typed(data.get("screening", {}), dict, f"{where}: screening")
    if unknown := sorted(set(screening) - {"groups"}):
        raise InputError(f"{where}: screening: unknown key '{unknown[0]}'; expected groups.")
    for number, row in enumerate(_list(screening, "groups", f"{where}: screening"), start=1):
        here = f"{where}: screening.groups {number}"
        built = CountrySubgroup(project=project, **_values(row, GROUPS, "country", here))
        yield _checked(built, here, exclude={"project"})


def _values(row: object, names: Sequence[str], place: str, where: str) -> dict[str, Any]:
    values: dict[str, Any] = _typed(row, dict, where)
    if unknown := sorted(set(values) - set(names)):
        raise InputError(f"{where}: unknown key '{unknown[0]}'; expected {', '.join(names)}.")
    if values.get(place) not in {each.id for each in places()}:
        raise InputError(f"{where}: {place}: got {values.get(place)!r}; expected the code of a place, such as JP.")
    return values


def _guidelines(project: Project, texts: Mapping[str, object], where: str) -> list[Guideline]:
    if unknown := sorted(set(texts) - set(GuidelineKind.values)):
        raise InputError(
            f"{where}: guidelines: unknown key '{unknown[0]}'; expected {', '.join(GuidelineKind.values)}."
        )
    return [
        Guideline(project=project, kind=kind, version=1, text=_typed(text, str, f"{where}: guidelines.{kind}"))
        for kind, text in texts.items()
    ]


def _list(data: Mapping[str, Any], name: str, where: str) -> list[Any]:
    found: list[Any] = _typed(data.get(name, []), list, f"{where}: {name}")
    return found


def _typed(value: object, kind: type, where: str) -> Any:
    if type(value) is not kind:
        raise InputError(f"{where}: got {value!r:.60}; expected {KINDS[kind]}.")
    return value


def _checked(row: Any, where: str, *, exclude: set[str]) -> Any:
    """The row, where the database can hold it.

    Raises:
        InputError: it cannot; the line names the column.
    """
    try:
        row.clean_fields(exclude=exclude)
    except ValidationError as error:
        name, (problem, *_) = next(iter(error.message_dict.items()))
        raise InputError(f"{where}: {name}: got {getattr(row, name)!r:.60}; {problem}") from error
    return row
