"""From the name a person gives to a model behind the door.

`simulated/…` and `baseline/…` need nothing, `recorded/FILE` a file, `verifier/FOLDER_OR_HUB_ID` the files of a model,
`PROVIDER/MODEL` an endpoint, and `inspect/PROVIDER/MODEL` Inspect AI.
"""

from difflib import get_close_matches

from mores.core.errors import InputError, UnknownName
from mores.core.seeds import Seed
from mores.models.baselines import BASELINES, Baseline
from mores.models.batch.endpoint import BatchEndpoint
from mores.models.batch.tray import Tray
from mores.models.credentials import Access
from mores.models.facts import known_models
from mores.models.inspected import Inspected, check_installed
from mores.models.marks import ThinkTags
from mores.models.model import Model
from mores.models.openai import PRESETS, ChatEndpoint
from mores.models.recorded import Recorded
from mores.models.similarity import Similarity, is_similarity
from mores.models.simulated import PRESETS as PEOPLE
from mores.models.simulated import Simulated
from mores.models.verifier import Verifier

INSPECT = "inspect"
OURS = ("baseline", "recorded", "simulated", "verifier")
ROUTES = (":free", ":latest", ":nitro", ":floor")
"""What some providers add to a model's name to say how it is served; it is the same model."""


class Connection(Access, frozen=True, kw_only=True):
    """How endpoints are reached; their calls go into a tray where there is one."""

    window: int = 64
    timeout: float = 300.0
    tray: Tray | None = None
    think_tags: ThinkTags | None = None


def check_form(spec: str) -> None:
    """Refuse what cannot be the name of a model, before anything else is looked at.

    Raises:
        InputError: it is not KIND/NAME, or what would reach it is not installed.
    """
    kind, slash, name = spec.partition("/")
    if not kind or not slash or not name:
        raise InputError(
            f"--model '{spec}': no model; expected KIND/NAME, such as openai/gpt-4o or simulated/typical."
            f"{_full_name(spec)}"
        )
    if kind == INSPECT:
        check_installed(spec)


def _full_name(bare: str) -> str:
    """A question after the specs that a name without its kind may stand for; empty where none is near."""
    ours = (spec for kind in ("simulated", "baseline") for spec in known_specs()[kind])
    known = known_models().items()
    real = (f"{kind}/{name}" for name, provider in known if (kind := provider.casefold().split(" ")[0]) in PRESETS)
    by_name = {spec.partition("/")[2]: spec for spec in (*real, *ours)}
    near = [by_name[name] for name in get_close_matches(bare, by_name, n=3, cutoff=0.7)]
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


def open_model(spec: str, seed: Seed, connection: Connection) -> Model:
    """The model of a spec.

    Raises:
        InputError: the spec has no such form, its file cannot be read, or its key is missing.
    """
    check_form(spec)
    kind = spec.partition("/")[0]
    match kind:
        case "simulated":
            return Simulated(spec, seed)
        case "baseline":
            return Similarity(spec) if is_similarity(spec) else Baseline(spec, seed)
        case "recorded":
            return Recorded(spec)
        case "verifier":
            return Verifier(spec)
        case "inspect":
            tags, wait = connection.think_tags, connection.timeout
            return Inspected(
                spec, access=connection, window=connection.window, timeout=wait, seed=seed, think_tags=tags
            )
        case _ if kind in PRESETS:
            timeout, tags, tray = connection.timeout, connection.think_tags, connection.tray
            if tray is not None:
                return BatchEndpoint(spec, tray=tray, access=connection, timeout=timeout, seed=seed, think_tags=tags)
            return ChatEndpoint(spec, access=connection, timeout=timeout, seed=seed, think_tags=tags)
        case _:
            raise UnknownName("kind of model", kind, [*OURS, *PRESETS, INSPECT], todo="List them: mores list models.")


def same_model(one: str, other: str) -> bool:
    """True for equal specs, and for one name at two providers; what is made here is the same as itself alone.

    >>> same_model("openai/gpt-4o", "openrouter/openai/GPT-4o"), same_model("simulated/judge", "recorded/judge")
    (True, False)
    """
    if one == other:
        return True
    ours = any(spec.partition("/")[0] in OURS for spec in (one, other))
    return not ours and _model_name(one) == _model_name(other)


def _model_name(spec: str) -> str:
    name = spec.rsplit("/", 1)[-1].casefold()
    for route in ROUTES:
        name = name.removesuffix(route)
    return name


def is_simulated(spec: str) -> bool:
    """True where every reply would be made up from planted competence."""
    return spec.startswith("simulated/")


def is_real(spec: str) -> bool:
    """True where a model made the replies: an endpoint's or recorded ones."""
    return not spec.startswith(("simulated/", "baseline/"))


def is_endpoint(spec: str) -> bool:
    """True for a model that is asked over the wire here."""
    return spec.partition("/")[0] in PRESETS


def is_asked_elsewhere(spec: str) -> bool:
    """True for a model that an address belongs to: an endpoint's, or one that Inspect asks."""
    return is_endpoint(spec) or spec.partition("/")[0] == INSPECT


def endpoint_address(spec: str, base_url: str | None) -> str:
    """Where an endpoint's model is reached."""
    return base_url or PRESETS[spec.partition("/")[0]].base_url


def known_specs() -> dict[str, tuple[str, ...]]:
    """Specs by kind, for lists: what can be typed as it is, and the presets of endpoints."""
    return {
        "simulated": tuple(f"simulated/{name}" for name in PEOPLE),
        "baseline": (*(f"baseline/{name}" for name in BASELINES), "baseline/similarity:FOLDER"),
        "recorded": ("recorded/FILE", "recorded/FOLDER"),
        "verifier": ("verifier/FOLDER_OR_HUB_ID",),
        "endpoints": tuple(f"{name}/MODEL" for name in PRESETS),
        "inspect": ("inspect/PROVIDER/MODEL",),
    }
