"""Gates on words that stand elsewhere: of a norm in its question, of one question in another, of a public benchmark."""

from collections.abc import Sequence

import msgspec

from mores.models.similarity import Embedder
from mores.pipelines.duplicates import NEAR, SHARED, NamedText, duplicates, shared_run, vectors_of
from mores.pipelines.gates.gate import Gate, GateItem, share_gate

NO_TABLE = "no --against"
NO_MODEL = "no --embed"


class PublicTexts(msgspec.Struct, frozen=True, kw_only=True):
    """Texts of public benchmarks; with an `embedder` questions may not come nearer to one than the cosine `near`."""

    texts: tuple[NamedText, ...] = ()
    embedder: Embedder | None = None
    near: float = NEAR


def contained(items: Sequence[GateItem]) -> Gate:
    """Gate on questions that quote the norm that they ask about."""
    says = f"a question has {SHARED} words in a row of a norm that it rests on, or a shorter norm whole"
    quoting = {item.id for item in items if any(shared_run(item.stem, norm) for norm in item.norms)}
    asked = [(item, item.id in quoting) for item in items if item.norms]
    none = "no norms are known"
    return share_gate("norm in the question", says, asked, most=0.0, none=none, words_in_a_row=SHARED)


def repeated(items: Sequence[GateItem], public: PublicTexts) -> Gate:
    """Gate on questions in the same words as another, or as a public benchmark."""
    texts = [NamedText(name=item.id, words=f"{item.stem} {' '.join(item.options)}") for item in items]
    stems = [NamedText(name=item.id, words=item.stem) for item in items if len(item.stem.split()) > SHARED]
    public_ids = {name for name, duplicate in duplicates(stems, against=public.texts).items() if duplicate.public}
    carried = public_ids | duplicates(texts, against=public.texts).keys()
    says = "a question says what another says, or a public benchmark"
    return share_gate("repeated", says, [(item, item.id in carried) for item in items], most=0.0)


def near_public(items: Sequence[GateItem], public: PublicTexts) -> Gate:
    """Gate on questions near to a text of a public benchmark."""
    name, says = "near a public text", "a question is near to a text of a public benchmark, by cosine"
    if public.embedder is None or not public.texts:
        return Gate(name=name, says=says, why=NO_MODEL if public.texts else NO_TABLE)
    texts = [NamedText(name=item.id, words=item.stem, within=item.id) for item in items]
    every = [*texts, *public.texts]
    rows = vectors_of([text.words for text in every], public.embedder)
    vectors = dict(zip((text.name for text in every), rows, strict=True))
    found = duplicates(texts, against=public.texts, vectors=vectors, near=public.near)
    return share_gate(name, says, [(item, item.id in found) for item in items], most=0.0, cosine_from=public.near)
