"""Spec of a run, which decides the results, and its execution, which does not."""

import re
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct, field
from msgspec.structs import fields, force_setattr, replace

from mores.benchmarks import catalogue
from mores.core.card import Control, Reading
from mores.core.codec import build, canonical, digest
from mores.core.errors import InputError, UnknownName
from mores.core.prompt import Wording
from mores.core.seeds import Seed
from mores.models.address import checked_address, without_port
from mores.models.batch.formats import LayoutName
from mores.models.budget import given_prices
from mores.models.credentials import check_headers, without_values
from mores.models.extra_body import check_extra_body, check_thinking
from mores.models.facts import check_models, facts_of
from mores.models.marks import ThinkTags
from mores.models.recorded import COLUMN_PARTS, KIND
from mores.models.registry import check_form, is_endpoint
from mores.models.similarity import is_similarity
from mores.norms.places import find
from mores.runs.folder import MANIFEST, read_part
from mores.runs.options import flag_of
from mores.runs.selection import Shard

DEFAULT_BENCHMARKS = ("ladder",)
ROLES = ("judge", "antagonist", "supporter", "planner", "writer", "checker", "refiner", "labeller", "helper")
DEFAULT_MODEL = "simulated/typical"
POSITIVE = ("samples", "limit", "prompt_variants", "orders", "answer_tokens", "top_k", "judge_samples", "judge_tokens",
            "concurrency", "attempts", "timeout", "requests_per_minute", "tokens_per_minute")  # fmt: skip
BUDGETS, TEMPERATURES = ("max_calls", "max_tokens", "max_cost"), ("temperature", "judge_temperature")
OF_SUBJECT = ("thinking", "top_p", "top_k", "min_p", "extra_body", "seed_endpoint", "completions")
"""Choices of how the subject's endpoint is asked, beside the protocol's sampling."""
LATER = frozenset(
    {
        "items",
        "until",
        "shard",
        "columns",
        "judge_logprobs",
        "judge_tokens",
        "judge_weights",
        "prompts",
        "prompt_variants",
        "orders",
        "controls",
        *OF_SUBJECT,
    }
)
"""Choices that the first runs did not have; not made, they stay out of a run's hash, so that old runs keep theirs."""
SHARED: Final = "shared"
PER_PART: Final = "per part"
LEASED: Final = "leased"
"""Limits are of the whole, of which a part has its share; of each part; or of the whole, and handed out as needed."""
PART_LIMITS = ("max_calls", "max_tokens", "max_cost", "requests_per_minute", "tokens_per_minute")
_JUROR = re.compile(r"judge[2-9]")
"""Further judges of a jury, beside the first."""


class Spec(Struct, frozen=True, kw_only=True):
    """Benchmarks, models and settings of a run: equal specs and equal replies give equal results.

    `settings` are values of the benchmarks' own options. `prompts` are other words for prompts, by ROLE/TASK: the
    words themselves, so that a run goes on without the files they came from. `base_url` is where all models are
    reached, but for roles that have a URL of their own in `role_urls`. `judged` is a run whose transcripts are
    judged again: nothing is played. Where `items` are named, these are asked alone. Of each evaluation only the part
    `shard` is asked, such as 2/8, where there is one. Asking ends once the claim `until` is decided. `columns` are
    what a table of the subject's recorded outputs calls its parts.
    """

    benchmarks: tuple[str, ...] = DEFAULT_BENCHMARKS
    models: tuple[str, ...] = (DEFAULT_MODEL,)
    roles: dict[str, str] = field(default_factory=dict)
    data: str | None = None
    limit: int | Literal["all"] | None = None
    samples: int | None = None
    places: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    seed: int = 0
    reading: Reading | None = None
    shuffle: bool | None = None
    prompt_variants: int | None = None
    orders: int | None = None
    controls: tuple[Control, ...] = ()
    temperature: float | None = None
    answer_tokens: int | None = None
    thinking: int | str | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    extra_body: dict[str, object] = field(default_factory=dict)
    seed_endpoint: bool = False
    completions: bool = False
    settings: dict[str, str] = field(default_factory=dict)
    judge_samples: int | None = None
    judge_temperature: float | None = None
    judge_tokens: int | None = None
    judge_logprobs: bool = False
    judge_weights: dict[str, float] = field(default_factory=dict)
    prompts: dict[str, Wording] = field(default_factory=dict)
    base_url: str | None = None
    role_urls: dict[str, str] = field(default_factory=dict)
    judged: str | None = None
    facts: dict[str, str] = field(default_factory=dict)
    shard: str | None = None
    until: str | None = None
    columns: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse an address that may hold a secret, before anything of a spec is written or said; know its folders."""
        self._know_folders()
        urls = {role: checked_address(url, role=role) for role, url in self.role_urls.items()}
        # A struct that is frozen can be corrected in no other way.
        force_setattr(self, "role_urls", urls)
        if self.base_url is not None:
            force_setattr(self, "base_url", checked_address(self.base_url))

    def _know_folders(self) -> None:
        """Take a benchmark that is a folder for its name, and the folder for its data.

        Raises:
            InputError: there are several, or other data was named.
        """
        if self.data is not None and catalogue.is_folder(self.data):
            catalogue.know(self.data)
        folders = [name for name in self.benchmarks if catalogue.is_folder_path(name)]
        if not folders:
            return
        folder = Path(folders[0]).resolve()
        if len(self.benchmarks) > 1 or (self.data is not None and Path(self.data).resolve() != folder):
            raise InputError(f"{folders[0]}: a folder that is a benchmark runs alone, and with its own data.")
        force_setattr(self, "benchmarks", (catalogue.know(folder),))
        force_setattr(self, "data", str(folder))

    @property
    def root_seed(self) -> Seed:
        """Root of all random draws of a run."""
        return Seed(f"mores-{self.seed}")

    @property
    def hash(self) -> str:
        """Ten hex digits; the endpoint counts without its port, data and prompts without where they lie: these move.

        Which data it was, the manifest says by hash, and a run does not go on with other data.
        """
        urls = {role: without_port(url) for role, url in self.role_urls.items()}
        url = without_port(self.base_url) if self.base_url is not None else None
        words = {name: msgspec.structs.replace(wording, file="") for name, wording in self.prompts.items()}
        plain = replace(
            self, base_url=url, role_urls=urls, data=None, facts={}, prompts=words
        )  # fmt: skip
        values = {f.name: getattr(plain, f.name) for f in fields(Spec)}
        kept = {name: value for name, value in values.items() if made(value) or name not in LATER}
        parts = b",".join(canonical(name) + b":" + canonical(value) for name, value in kept.items())
        return digest(msgspec.Raw(b"{" + parts + b"}"), length=10)


class ExecutionSpec(Struct, frozen=True, kw_only=True):
    """Execution settings of a run; none changes a result, but that `think_tags` are what thinking is known by.

    Calls are not made but written into batch files in the folder `batch`, in the format of each model's provider or
    in `batch_format`.
    `headers` are what a gateway wants beside, by their names or ROLE:NAME; their values are never written down.
    Calls, tokens, money and paces are of the whole run, unless its `limits` are per part.
    """

    concurrency: int = 64
    timeout: float = 300.0
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    attempts: int = 8
    first_wait: float = 0.25
    reuse: tuple[str, ...] = ()
    full_sync: bool = False
    batch: str | None = None
    batch_format: LayoutName | None = None
    think_tags: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    limits: Literal["shared", "per part", "leased"] = SHARED

    def __post_init__(self) -> None:
        """Refuse headers that no call can have, before anything of them is written or said."""
        check_headers(self.headers)

    @property
    def plain(self) -> "ExecutionSpec":
        """The same as a run may write it down."""
        return replace(self, headers=without_values(self.headers))


def limits_of_part(conditions: ExecutionSpec, shard: Shard) -> dict[str, float]:
    """The limits that a part has of those of the whole; none where it is the whole, or has all of them.

    All shares together are never more than the whole: what can be counted is dealt out by ones.

    Raises:
        InputError: there is less of something than there are parts.
    """
    if shard.of == 1 or conditions.limits != SHARED:
        return {}
    given = {name: value for name in PART_LIMITS if (value := getattr(conditions, name)) is not None}
    return {name: _share(name, value, shard) for name, value in given.items()}


def _share(name: str, whole: float, shard: Shard) -> float:
    if name == "max_cost":
        return whole / shard.of
    if 0 < whole < shard.of:
        raise InputError(
            f"{flag_of(name)} {whole:g}: less than one for each of {shard.of} parts; expected fewer parts, or "
            "--per-part for a limit of each part."
        )
    return int(whole) * shard.number // shard.of - int(whole) * (shard.number - 1) // shard.of


def made(choice: object) -> bool:
    """True where something was chosen."""
    return choice is not None and choice is not False and choice not in ({}, ())


def check(spec: Spec, conditions: ExecutionSpec) -> None:
    """Refuse what no run could be carried out with.

    Raises:
        InputError: nothing to ask, nobody to ask, or a number that makes no sense.
    """
    if not spec.models or not spec.benchmarks:
        raise InputError("A run needs at least one model and one benchmark; --model names a model, mores list both.")
    for model in (*spec.models, *spec.roles.values()):
        check_form(model)
    _known_roles(spec)
    _known_weights(spec)
    check_models(spec.facts, spec.models, spec.roles.values())
    given_prices(spec.facts, spec.models, spec.roles.values())
    for model in spec.models:
        home = facts_of(model, spec.facts).home
        if home is not None and (found := find(home, where="--fact home").id) != home:
            raise InputError(f"--fact home={home}: expected its ISO code, {found}.")
    given = {f.name: getattr(part, f.name) for part in (spec, conditions) for f in fields(part)}
    _refuse(given, POSITIVE, "a positive number", lambda value: value > 0)
    _refuse(given, BUDGETS, "a number, 0 or more", lambda value: value >= 0)
    _refuse(given, TEMPERATURES, "a number from 0 up", lambda value: 0 <= value <= 10)
    _refuse(given, ("top_p", "min_p"), "a share from 0 to 1", lambda value: 0 <= value <= 1)
    _known_shard(spec)
    limits_of_part(conditions, Shard.read(spec.shard))
    if spec.until is not None:
        from mores.runs.stepwise import check_claim  # noqa: PLC0415 - what most runs do without

        check_claim(spec, conditions)
    _asked_as_text(spec, conditions)
    _known_columns(spec)
    check_thinking(spec.thinking)
    check_extra_body(spec.extra_body)
    ThinkTags.of(conditions.think_tags)
    if not (conditions.first_wait >= 0 and isfinite(conditions.first_wait)):
        raise InputError(f"first_wait {conditions.first_wait}: expected seconds, 0 or more.")


def _asked_as_text(spec: Spec, conditions: ExecutionSpec) -> None:
    """Refuse a model without a chat where nobody could ask it so."""
    if not spec.completions:
        return
    if spec.thinking not in {None, "off"}:
        raise InputError(f"--completions and --thinking {spec.thinking}: a text that is gone on with has no thinking.")
    if conditions.batch is not None:
        raise InputError("--completions and --batch: batches hold chats; expected one of them.")
    other = next((model for model in spec.models if not is_endpoint(model)), None)
    if other is not None:
        raise InputError(f"--completions: {other} is asked by no endpoint here; expected one such as vllm/MODEL.")


def _known_shard(spec: Spec) -> None:
    """Refuse a part of a run that cannot be joined with the others."""
    whole = next((model for model in spec.models if is_similarity(model)), None)
    if Shard.read(spec.shard).of > 1 and whole:
        raise InputError(f"--shard {spec.shard}: {whole} compares all options at once; run it whole, it asks nobody.")


def _known_columns(spec: Spec) -> None:
    """Refuse columns of a table that nobody reads, or of a part that it does not have."""
    for part, column in spec.columns.items():
        if part not in COLUMN_PARTS:
            raise UnknownName("part of a recorded reply", part, COLUMN_PARTS, where=f"--columns {part}={column}")
    if spec.columns and not any(model.startswith(KIND) for model in spec.models):
        columns = ",".join(f"{part}={column}" for part, column in spec.columns.items())
        raise InputError(f"--columns {columns}: expected a table to read them in: --model recorded/FILE.")


def _refuse(given: Mapping[str, Any], names: Sequence[str], expected: str, holds: Callable[[float], bool]) -> None:
    """Refuse a number of which something does not hold; where none is given, or all, there is none."""
    for name in names:
        value = given[name]
        if value not in {None, "all"} and not (isfinite(value) and holds(value)):
            raise InputError(f"{flag_of(name)} {value}: expected {expected}.")


def _known_roles(spec: Spec) -> None:
    for role in (*spec.roles, *spec.role_urls):
        if role not in ROLES and not _JUROR.fullmatch(role) and (role != "subject" or role in spec.roles):
            raise UnknownName("role", role, ROLES, todo="The subject is named by --model.", where="--role")


def _known_weights(spec: Spec) -> None:
    """Refuse weights that are of no jury, or by which nobody counts."""
    judges = sorted(role for role in spec.roles if role == "judge" or _JUROR.fullmatch(role))
    for role, weight in spec.judge_weights.items():
        if role not in judges or len(judges) < 2:
            raise InputError(
                f"--judge-weight {role}={weight:g}: expected a judge of a jury; here "
                f"{'there are ' + ', '.join(judges) if len(judges) > 1 else 'there is none: repeat --judge'}."
            )
        if not (isfinite(weight) and weight >= 0):
            raise InputError(f"--judge-weight {role}={weight:g}: expected a number, 0 or more.")
    if spec.judge_weights and not any(spec.judge_weights.get(role, 1.0) for role in judges):
        raise InputError(f"--judge-weight: all are 0; expected a judge among {', '.join(judges)} that counts.")


def spec_in(run: Path) -> Spec:
    """Spec of a run, as its manifest says.

    Raises:
        InputError: the folder is no run, or its manifest says no such thing.
    """
    return build(Spec, read_part(run, "spec"), where=f"{run}/{MANIFEST}")


def conditions_in(run: Path) -> ExecutionSpec:
    """Execution settings of a run, as its manifest says.

    Raises:
        InputError: as for `spec_in`.
    """
    return build(ExecutionSpec, read_part(run, "conditions"), where=f"{run}/{MANIFEST}")
