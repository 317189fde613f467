"""Options of a run made into its spec, which decides the results, and its execution, which does not.

RunOptions, JudgeOptions, ResumeOptions ─▶ Spec and ExecutionSpec
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import to_builtins
from msgspec.structs import fields, replace

from mores.benchmarks import catalogue
from mores.core.card import CONTROLS
from mores.core.codec import build, parse_json, read_text, read_toml
from mores.core.errors import InputError, UnknownName
from mores.core.prompt import Wording
from mores.data.fetched import data_path
from mores.models.address import without_port
from mores.models.facts import read_facts
from mores.models.recorded import look_also
from mores.runs.client_pool import headers_of, headers_of_judges, headers_with, refuse_unsaid, with_addresses
from mores.runs.folder import MANIFEST, read_manifest, read_run
from mores.runs.launchers import AUTO, shard_of_task
from mores.runs.options import (
    CollectOptions,
    ExecutionOptions,
    JudgeOptions,
    NameArgument,
    PairArgument,
    ResumeOptions,
    RunOptions,
    names_of,
)
from mores.runs.protocol import protocol_of, read_words, refuse_of_players, released_words
from mores.runs.selection import read_item_names
from mores.runs.spec import PER_PART, ExecutionSpec, Spec, check, conditions_in, spec_in
from mores.runs.stored_plays import stored_cells, stored_evaluations

MOST_JUDGES = 9
SAMPLING_FIELDS = ("top_k", "min_p")
ALL = "all"
"""The word of --control for every control that a benchmark has."""
_Asked = TypeVar("_Asked", Spec, ExecutionSpec)


def specify(options: RunOptions) -> tuple[Spec, ExecutionSpec]:
    """Spec and execution of a new run.

    Raises:
        InputError: an option cannot be used.
    """
    names, places = names_of(options.benchmarks), names_of(options.places, ",")
    study = [Path(name) for name in names if name.endswith((".toml", ".json"))]
    if study and len(names) > 1:
        raise InputError(f"{study[0]}: a study stands alone; expected one STUDY.toml, or names of benchmarks.")
    if options.places is not None and not places:
        raise InputError("--places is empty; expected places such as JP,NG, or leave it out for all.")
    spec, conditions = read_study(study[0]) if study else (Spec(), ExecutionSpec())
    asked = _alike(Spec, options) | {
        "shard": _shard(options),
        "benchmarks": () if study else names,
        "models": names_of(options.model),
        "roles": pairs_of(options.role, "--role") | _judges(options.judge),
        "judge_weights": _weights(options.judge_weight),
        "limit": None if options.limit is None else _limit(options.limit),
        "settings": pairs_of(options.setting, "--set"),
        "prompts": _words(spec, spec.benchmarks if study or not names else names, options),
        "data": _data(Path(options.data)) if options.data else None,
        "places": places,
        "items": read_item_names(names_of(options.items)),
        "controls": _controls(options),
        "facts": _facts(options.fact),
        "thinking": _thinking(options.thinking),
        **_added(_extra_body(options.extra_body)),
        "completions": options.completions or None,
        "columns": _columns(options.columns),
        **with_addresses(spec, options.base_url),
    }
    given = conditions_of(options) | {"headers": headers_with(conditions, options.header)}
    spec, conditions = _with(spec, asked), _with(conditions, given)
    spec = replace(spec, settings={**spec.settings, **setting_files(spec, Path())})
    refuse_unsaid(conditions, f"{study[0]}: it was asked" if study else "")
    check(spec, conditions)
    return spec, conditions


def specify_judging(options: JudgeOptions) -> tuple[Spec, ExecutionSpec]:
    """Spec and execution of judging a run's transcripts by other judges, or more often.

    Raises:
        InputError: an option cannot be used, or there is nothing to judge.
    """
    run = Path(options.run)
    if not options.judge:
        raise InputError(f"mores judge {run}: no judge; name one: --judge SPEC.")
    read_run(run)
    before = replace(spec_in(run), judge_weights={})
    benchmarks = _judged(run, before)
    asked = {
        "judge_samples": options.samples,
        "judge_temperature": options.judge_temperature,
        "judge_tokens": options.judge_tokens,
        "judge_weights": _weights(options.judge_weight),
        "judge_logprobs": options.logprobs,
        "benchmarks": benchmarks,
        "judged": str(run.resolve()),
        "roles": {**{r: s for r, s in before.roles.items() if not r.startswith("judge")}, **_judges(options.judge)},
        "settings": {**before.settings, **_of_judging(pairs_of(options.setting, "--set"), benchmarks, run)},
        "prompts": _words_of_judges(before, benchmarks, options),
        **with_addresses(before, options.base_url),
    }
    spec, conditions = _with(replace(before, prompts={}), asked), _with(ExecutionSpec(), conditions_of(options))
    if not options.header and not options.base_url and (before.base_url or "judge" in before.role_urls):
        refuse_unsaid(headers_of_judges(conditions_in(run)), f"{run}: it was asked")
    check(spec, conditions)
    return spec, conditions


def read_earlier(run: Path) -> tuple[Spec, ExecutionSpec]:
    """Spec and execution of an earlier run.

    Raises:
        InputError: the folder is no run, or only a part of one.
    """
    read_run(run)
    study = run.resolve().parent
    parts = stored_cells(study).values() if (study / MANIFEST).is_file() else ()
    if run.resolve().name in {part.name for part in parts}:
        raise InputError(f"{run}: a part of the study {study}; resume the whole: mores resume {study}.")
    spec = spec_in(run)
    # Files in a spec may be named from where the run was begun.
    look_also(Path(read_manifest(run).get("begun_in", ".")))
    return spec, conditions_in(run)


def specify_again(
    spec: Spec, before: ExecutionSpec, options: ResumeOptions | CollectOptions
) -> tuple[Spec, ExecutionSpec]:
    """Spec and execution of an earlier run, at the addresses and under the conditions that are given.

    Raises:
        InputError: an address is of another server, or a header's value is missing.
    """
    run = Path(options.run)
    conditions = _with(before, conditions_of(options) | {"headers": headers_with(before, options.header)})
    refuse_unsaid(conditions, f"{run}: it was asked")
    now = _with(spec, with_addresses(spec, options.base_url))
    for role in ("", *now.role_urls):
        was, there = (each.role_urls.get(role, each.base_url) if role else each.base_url for each in (spec, now))
        if there != was and (there is None or was is None or without_port(there) != without_port(was)):
            flag = f"--base-url {role}=" if role else "--base-url "
            raise InputError(
                f"{flag}{there}: {run} was asked at {was or 'its own address'}; expected that address. A run elsewhere "
                f"is a new one (--reuse {run})."
            )
    return now, conditions


def read_study(path: Path) -> tuple[Spec, ExecutionSpec]:
    """Spec and conditions of a STUDY.toml, or of an earlier run's manifest.json.

    The `data` of a study, the files of its `settings` and `prompts` and the checkouts of `prompts_from` are found from
    where it lies.

    Raises:
        InputError: the file cannot be read, or has an unknown or wrong field.
    """
    where = str(path)
    if path.suffix == ".json":
        whole = parse_json(read_text(path), where=where)
        if not isinstance(whole, dict) or "spec" not in whole:
            raise InputError(f"{where}: no manifest; expected a run's manifest.json with its spec.")
        read_manifest(path.parent)
        return build(Spec, whole["spec"], where=where), build(ExecutionSpec, whole.get("conditions", {}), where=where)
    table = read_toml(path)
    # Taken out first: what is left has to be fields of a spec, and no others.
    items = build(tuple[str, ...], _listed(table.pop("items", [])), where=f"{where}: items")
    conditions = table.pop("conditions", {})
    files = build(dict[str, str], table.pop("prompts", {}), where=f"{where}: prompts")
    checkouts = build(tuple[str, ...], table.pop("prompts_from", []), where=f"{where}: prompts_from")
    spec = replace(build(Spec, table, where=where), items=read_item_names(items, path.parent))
    released = released_words([path.parent / folder for folder in checkouts], spec.benchmarks)
    spec = replace(spec, prompts={**released, **read_words(files, spec.benchmarks, path.parent)})
    spec = replace(spec, settings={**spec.settings, **setting_files(spec, path.parent)})
    if spec.data is not None:
        local = path.parent / spec.data
        spec = replace(spec, data=_data(local if local.exists() else Path(spec.data)))
    return spec, build(ExecutionSpec, conditions, where=f"{where}: conditions")


def _data(given: Path) -> str:
    """Whole path of the data that is meant."""
    return str((data_path(given) or given).resolve())


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


def setting_files(spec: Spec, folder: Path) -> dict[str, str]:
    """The settings that name a file in a folder, with its whole path."""
    names = [name for asked in spec.benchmarks for name in catalogue.resolve(asked)]
    of_file = {option.name for name in names for option in catalogue.card(name).options if option.file}
    candidates = {name: folder / spec.settings[name] for name in of_file & spec.settings.keys()}
    return {name: str(path.resolve()) for name, path in sorted(candidates.items()) if path.exists()}


def _shard(options: RunOptions) -> str | None:
    """The part that is asked for, by its number also where a launcher says it.

    Raises:
        InputError: it cannot be told, or `parts` is given where nobody reads it.
    """
    if options.shard == AUTO:
        if options.out is None:
            raise InputError("--shard auto: expected --out DIR, the folder of all parts.")
        return str(shard_of_task(os.environ, options.parts))
    if options.per_part and options.shard is None and options.on is None:
        raise InputError("--per-part: this run is whole; expected --shard I/N or --on beside it.")
    if options.on is not None:
        _known_launcher(options)
    elif options.parts is not None:
        raise InputError(f"--parts {options.parts}: expected --shard auto or --on beside it.")
    return options.shard


def _known_launcher(options: RunOptions) -> None:
    """Refuse a launcher that there is not, and what cannot be asked by one."""
    if options.on is None or re.fullmatch(r"ray(://[\w.:\[\]-]+)?", options.on) is None:
        raise InputError(f"--on {options.on}: expected ray, or ray://HOST:10001.")
    if options.parts is not None and options.parts < 1:
        raise InputError(f"--parts {options.parts}: expected a positive number.")
    other = next((name for name in ("shard", "batch", "until") if getattr(options, name) is not None), None)
    if other is not None:
        raise InputError(f"--on {options.on} and --{other} {getattr(options, other)}: expected one of them.")


def _controls(options: RunOptions) -> tuple[str, ...]:
    """The controls that are asked for, each once.

    Raises:
        UnknownName: there is no such control.
    """
    for name in (named := names_of(options.control)):
        if name not in (*CONTROLS, ALL):
            raise UnknownName("control", name, (*CONTROLS, ALL), where="--control")
    return tuple(control for control in CONTROLS if control in named or ALL in named)


def _with(whole: _Asked, asked: Mapping[str, object]) -> _Asked:
    """A spec or conditions with what is asked for, checked; what is None or empty is left as it was."""
    # By way of plain values, so that what is typed is checked as what stands in a file.
    given = {name: value for name, value in asked.items() if value not in (None, (), {})}
    return build(type(whole), {**to_builtins(whole), **given}, where="options") if given else whole


def _words(before: Spec, benchmarks: Sequence[str], options: RunOptions) -> dict[str, object]:
    """All words for prompts: those of before, then of checkouts, then of files.

    Raises:
        InputError: words cannot be read.
    """
    released = released_words(map(Path, names_of(options.prompts_from)), benchmarks)
    given = read_words(pairs_of(options.prompt, "--prompt"), benchmarks)
    return _plain({**before.prompts, **released, **given})


def _words_of_judges(before: Spec, benchmarks: Sequence[str], options: JudgeOptions) -> dict[str, object]:
    """Words for prompts where plays are stored and judges alone are asked.

    Raises:
        InputError: words cannot be read, or are for a prompt of somebody who has played.
    """
    kept = {key for name in benchmarks for key in catalogue.taken(name, before.prompts)}
    released = released_words(map(Path, names_of(options.prompts_from)), benchmarks, "judge")
    given = read_words(pairs_of(options.prompt, "--prompt"), benchmarks)
    refuse_of_players(given, benchmarks)
    return _plain({**{key: before.prompts[key] for key in kept}, **released, **given})


def _judged(run: Path, spec: Spec) -> tuple[str, ...]:
    """The benchmarks of a run that a judge takes part in.

    Raises:
        InputError: there are none.
    """
    names = dict.fromkeys(name for _, name in stored_evaluations(run))
    kept = tuple(name for name in names if _has_judge(name, spec))
    if not kept:
        raise InputError(f"{run}: nobody judges in {', '.join(names)}; expected a run of a benchmark with a judge.")
    return kept


def _has_judge(name: str, spec: Spec) -> bool:
    """True where a judge takes part in a benchmark, or may."""
    card = catalogue.card(name)
    return "judge" in (*catalogue.load(name).roles(protocol_of(card, spec)), *card.optional_roles)


def _of_judging(settings: dict[str, str], benchmarks: Sequence[str], run: Path) -> dict[str, str]:
    """Settings that change how stored plays are judged.

    Raises:
        InputError: one says how plays are held, which have been.
    """
    options = [option for name in benchmarks for option in catalogue.card(name).options]
    free = sorted({option.name for option in options if option.of_judging})
    played = [name for name in settings if any(option.name == name for option in options) and name not in free]
    if played:
        left = ", ".join(free) or "none"
        raise InputError(
            f"--set {played[0]}={settings[played[0]]}: {run} was played already; settings of judging: {left}."
        )
    return settings


def _plain(words: Mapping[str, Wording]) -> dict[str, object]:
    return {name: to_builtins(wording) for name, wording in sorted(words.items())}


def _judges(names: NameArgument) -> dict[str, str]:
    """Roles of judges: one, or a jury."""
    specs = names_of(names)
    if len(specs) > MOST_JUDGES:
        raise InputError(f"--judge: {len(specs)} judges; expected {MOST_JUDGES} at most.")
    return {f"judge{number}" if number > 1 else "judge": spec for number, spec in enumerate(specs, start=1)}


def _weights(given: PairArgument) -> dict[str, float]:
    """Weights of the judges of a jury, by role.

    Raises:
        InputError: one is no number.
    """
    pairs = pairs_of(given, "--judge-weight")
    try:
        return {role: float(weight) for role, weight in pairs.items()}
    except ValueError:
        written = ", ".join(f"{role}={weight}" for role, weight in pairs.items())
        raise InputError(f"--judge-weight {written}: expected ROLE=NUMBER, such as judge2=.5.") from None


def _columns(given: PairArgument) -> dict[str, str]:
    """Columns of a table by the parts they hold; several stand in one entry with commas between them."""
    if isinstance(given, Mapping):
        return pairs_of(given, "--columns")
    return pairs_of([part for entry in names_of(given) for part in entry.split(",")], "--columns")


def _limit(typed: int | str) -> int | str:
    if isinstance(typed, int) or typed == "all":
        return typed
    if not typed.isdecimal():
        raise InputError(f"--limit {typed}: expected a positive number, or all.")
    return int(typed)


def _thinking(typed: int | str | None) -> int | str | None:
    return int(typed) if isinstance(typed, str) and typed.isdecimal() else typed


def _extra_body(typed: str | Mapping[str, object] | None) -> dict[str, object]:
    """The fields that a JSON object has, or one in a file that is named after an @.

    Raises:
        InputError: it is none.
    """
    if not isinstance(typed, str):
        return dict(typed or {})
    where = f"--extra-body {typed[:60]}" if typed.startswith("@") else "--extra-body"
    found = parse_json(read_text(Path(typed[1:])) if typed.startswith("@") else typed, where=where)
    if not isinstance(found, dict):
        raise InputError(f'{where}: expected a JSON object, such as {{"repetition_penalty": 1.1}}, or @FILE.')
    return found


def _added(fields: dict[str, object]) -> dict[str, object]:
    """Fields of a call, with those apart that each provider calls otherwise, so that they reach it by its own name."""
    named = {name: fields.pop(name) for name in SAMPLING_FIELDS if name in fields}
    return {**named, "extra_body": fields}


def conditions_of(options: ExecutionOptions) -> dict[str, object]:
    """Conditions that are asked for."""
    return _alike(ExecutionSpec, options) | {
        "headers": headers_of(getattr(options, "header", None)),
        "limits": PER_PART if getattr(options, "per_part", False) else None,
        "reuse": names_of(getattr(options, "reuse", None)),
        "batch": str(batch) if (batch := getattr(options, "batch", None)) else None,
    }


def _alike(kind: type[_Asked], options: ExecutionOptions) -> dict[str, object]:
    """Options that a spec, or conditions, have by the same names."""
    return {f.name: getattr(options, f.name) for f in fields(kind) if hasattr(options, f.name)}


def _facts(given: PairArgument) -> dict[str, str]:
    return pairs_of(given, "--fact") if isinstance(given, Mapping) else read_facts(names_of(given))


def pairs_of(given: PairArgument, flag: str) -> dict[str, str]:
    """Values by name.

    Raises:
        InputError: an entry is not NAME=VALUE.
    """
    if isinstance(given, Mapping):
        return {name: str(value) for name, value in given.items()}
    pairs = [entry.partition("=") for entry in names_of(given)]
    bad = [f"{name}{sign}{value}" for name, sign, value in pairs if not (name and sign and value)]
    if bad:
        raise InputError(f"{flag} {bad[0]}: expected NAME=VALUE.")
    return {name: value for name, _, value in pairs}
