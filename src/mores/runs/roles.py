"""Who plays in an evaluation, and whether they can: refused before anything is asked."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from mores.benchmarks.benchmark import Benchmark
from mores.core.card import FIRST, Protocol, SubjectSettings
from mores.core.errors import InputError
from mores.models.extra_body import extra_fields
from mores.models.provider import provider_of
from mores.models.registry import is_real, is_simulated
from mores.runs.options import flag_of


class RoleAssignment(NamedTuple):
    """Who is named for roles by `--role` and `--judge`, and whether simulated models fill those of a baseline."""

    named: dict[str, str]
    beside_simulated: bool = False

    def needed(self, benchmark: Benchmark, protocol: Protocol) -> list[str]:
        """The roles of a benchmark beside the subject's, with all seats of a jury."""
        roles = [role for role in benchmark.roles(protocol) if role != "subject"]
        if "judge" in roles:
            roles += sorted(role for role in self.named if role.startswith("judge") and role != "judge")
        return roles

    def open_roles(self, benchmark: Benchmark, subject: str, protocol: Protocol) -> tuple[str, ...]:
        """The roles that nobody plays."""
        if is_simulated(subject) or (self.beside_simulated and subject.startswith("baseline/")):
            return ()
        return tuple(role for role in self.needed(benchmark, protocol) if role not in self.named)


def refuse_open(open_roles: Mapping[str, Sequence[str]]) -> None:
    """Nothing, if every role of each benchmark is played.

    Raises:
        InputError: some are not; one line names all of them, and the options that fill them.
    """
    missing = {name: roles for name, roles in open_roles.items() if roles}
    if not missing:
        return
    roles = list(dict.fromkeys(role for found in missing.values() for role in found))
    flags = " ".join("--judge SPEC" if role == "judge" else f"--role {role}=SPEC" for role in roles)
    them = "it" if len(roles) == 1 else "them"
    whom = " and ".join(filter(None, (", ".join(roles[:-1]), roles[-1])))
    raise InputError(f"{', '.join(missing)}: no model for the {whom}; a real run names {them}: {flags}.")


def cast_of(benchmark: Benchmark, subject: str, casting: RoleAssignment, protocol: Protocol) -> dict[str, str]:
    """Who plays which role; simulated models fill the others for a simulated subject, and for a baseline beside one.

    Raises:
        InputError: a real subject, and a role that nobody plays or a judge that only knows what was planted; or a
            judge that sits twice.
    """
    refuse_open({benchmark.card.name: casting.open_roles(benchmark, subject, protocol)})
    roles = {"subject": subject}
    for role in casting.needed(benchmark, protocol):
        own = "simulated/judge" if role == "judge" else "simulated/typical"
        roles[role] = casting.named.get(role, own)
    judges = [spec for role, spec in roles.items() if role.startswith("judge")]
    if len(set(judges)) < len(judges):
        raise InputError(
            f"--judge {judges[0]}: this judge is named twice; name different judges, or use --judge-samples K."
        )
    made_up = [spec for spec in judges if not is_real(spec)]
    if made_up and is_real(subject):
        raise InputError(
            f"{benchmark.card.name}: {made_up[0]} cannot judge {subject}: it reads planted answers, which a real "
            "subject does not give; name a real judge: --judge PROVIDER/MODEL."
        )
    return roles


def check_roles(benchmark: Benchmark, subject: str, protocol: Protocol) -> None:
    """Refuse a subject that cannot play a benchmark.

    Raises:
        InputError: always yes where there is no yes, outputs made in another order of the options, or settings that
            its provider cannot be told.
    """
    name = benchmark.card.name
    extra_fields_of_subject(subject, protocol)
    if subject == "baseline/always-true" and not benchmark.affirmative:
        raise InputError(f"{name}: baseline/always-true needs questions with a true or yes; use baseline/first.")
    if subject.startswith("recorded/") and protocol.shuffle:
        raise InputError(f"{name}: recorded outputs answered the published order; leave out --shuffle.")
    if subject.startswith("recorded/") and protocol.variant != FIRST:
        raise InputError(
            f"{name}: recorded outputs answered one wording; leave out --prompt-variants, --orders and --control."
        )


def extra_fields_of_subject(subject: str, protocol: Protocol) -> dict[str, object]:
    """The fields of each call to the subject that a run asks for beside its sampling, in its provider's terms.

    Raises:
        InputError: the provider has no words for it, or no endpoint is asked.
    """
    asked = protocol.subject
    if asked is None:
        return {}
    if is_simulated(subject) and asked == SubjectSettings(thinking=asked.thinking):
        return {}
    if not provider_of(subject).elsewhere:
        found = structs.asdict(asked)
        flags = ", ".join(flag_of(name) for name, value in found.items() if value not in {None, False})
        raise InputError(f"{subject}: it is no endpoint, so that none can be told; leave out {flags}.")
    return extra_fields(subject, asked.over(protocol.sampling))
