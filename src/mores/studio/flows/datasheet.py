"""The datasheet of an export: where the data come from, who answered, by which words, and what they were paid.

No line is about one person: people are counted by region, and what they told of themselves only where a count is of
five people or more.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from django.db.models import Count, Sum
from django.utils.translation import override

from mores.core.codec import encode, parse_json
from mores.stats.cluster_sums import MeasuredFigure
from mores.studio.flows.agreement import agreements
from mores.studio.flows.flow import flow_named
from mores.studio.flows.funnel import funnel
from mores.studio.flows.personal import written
from mores.studio.models import Participant, Payment, Project
from mores.studio.work.items import read_key_facts
from mores.studio.work.records import ItemRecord
from mores.tables.missing_texts import format_missing

FEWEST = 5
"""People that a count must be of to be shown."""


def shown_counts(counts: Mapping[str, int]) -> dict[str, int]:
    """The counts that may be shown beside their total, largest first; none where that would tell of a small one.

    A count under five is not shown, and neither is what would give it away: all that is left out together is of five
    people at least and of two answers at least, as the total less what is shown is theirs.

    >>> shown_counts({"yes": 20, "no": 7, "": 2})
    {'yes': 20}
    """
    ordered = sorted(((count, name) for name, count in counts.items() if count), reverse=True)
    kept = [each for each in ordered if each[0] >= FEWEST]
    hidden = ordered[len(kept) :]
    while hidden and kept and (len(hidden) < 2 or sum(count for count, _ in hidden) < FEWEST):
        hidden.append(kept.pop())
    return {name: count for count, name in kept}


FILE = "datasheet.json"
DEMOGRAPHICS = ("age_band", "gender", "student")


def datasheet(project: Project, items: Sequence[ItemRecord], own: bytes = b"{}") -> bytes:
    """The datasheet; `own` is what the flow says of its data."""
    work = [item for item in items if item.kind == "work"]
    texts = written(flow_named(project.flow), project, items)
    help_ = Counter(item.help or "none" for item in work)
    content: dict[str, object] = {
        "project": project.slug,
        "name": project.name,
        "flow": project.flow,
        "language": project.language,
        "licence": project.licence or "not stated",
        "funnel": funnel(project),
        "items_by_region": dict(sorted(Counter(item.region for item in work).items())),
        "answers": sum(len(item.counted) for item in work),
        "agreement": _agreement(project, items),
        "personal_data": {"texts": len(texts), "flagged": sum(bool(each.found) for each in texts)},
        "help": {name: count / len(work) for name, count in sorted(help_.items())},
        "guidelines": list(project.guidelines.order_by("kind", "version").values("kind", "version")),
        "people": _people(project, {answer.person for item in work for answer in item.counted}),
        "payments": _payments(project),
        "data": parse_json(own, where=FILE),
    }
    return encode(content) + b"\n"


def _agreement(project: Project, items: Sequence[ItemRecord]) -> list[dict[str, object]]:
    """Agreement of people on each question that is answered by choosing, over the items that two or more answered."""
    with override("en"):  # a question of the studio's own is the same in an export, whoever asks for it
        found = agreements(flow_named(project.flow), project, items, read_key_facts(project))
    return [
        {
            "question": each.question,
            "units": each.units,
            "people": each.people,
            "scale": "ordinal" if each.ordered else "nominal",
            "pairs_that_agree": _figure(each.percent),
            "fleiss_kappa": _figure(each.fleiss),
            "krippendorff_alpha": _figure(each.alpha),
        }
        for each in found
    ]


def _figure(measured: MeasuredFigure) -> dict[str, object]:
    """A figure with its 95% interval; None where it, or its interval, cannot be told, and then why."""
    value, interval, missing = measured
    why = missing or interval.missing
    return {
        "value": None if missing else value,
        "low": interval.low,
        "high": interval.high,
        "method": interval.method,
        "why": None if why is None else format_missing(why),
    }


def _people(project: Project, answered: set[str]) -> dict[str, object]:
    """Those whose answers count, by region: how many, and what enough of them told of themselves."""
    # Records call a person p and a number, so that no name gets near an export.
    numbers = [int(person.removeprefix("p")) for person in answered]
    by_region: dict[str, list[Participant]] = defaultdict(list)
    for person in Participant.objects.filter(project=project, pk__in=numbers).order_by("pk"):
        by_region[person.region or "not told"].append(person)
    return {
        region: {"people": len(people), **{name: _value_counts(people, name) for name in DEMOGRAPHICS}}
        for region, people in sorted(by_region.items())
    }


def _value_counts(people: Sequence[Participant], name: str) -> dict[str, int]:
    return shown_counts(Counter(getattr(person, name) or "not told" for person in people))


def _payments(project: Project) -> list[dict[str, object]]:
    """Sums of the ledger, without names."""
    lines = Payment.objects.filter(participant__project=project).values("currency", "status")
    sums = lines.annotate(lines=Count("pk"), minutes=Sum("minutes"), amount=Sum("amount"))
    return [
        {**row, "minutes": f"{row['minutes']:.2f}", "amount": f"{row['amount']:.2f}"}
        for row in sums.order_by("currency", "status")
    ]
