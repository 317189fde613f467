"""Files that a user can hand over, each with the door that reads it, and what can go wrong with bytes."""

import json
import random
import re
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree

from mores.annotation.judged_items import judged_evaluations, judged_things
from mores.annotation.sample import read_sample
from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.label_rows import read_label_rows
from mores.calibration.certificate import read_certificates
from mores.cli.args_run import ResumingArgs
from mores.cli.report import ReportArgs, report
from mores.cli.run import again
from mores.core.errors import MoresError
from mores.core.seeds import Seed
from mores.core.terminal_safety import LONGEST, error_line
from mores.models.journal import Journal
from mores.models.journal_reader import EarlierJournal, read_entries
from mores.models.recorded_files import read_recording
from mores.norms.norm_base import read_base
from mores.norms.pack import load_pack
from mores.pipelines.consensus import ValuesOptions, values_of
from mores.pipelines.norms.sources import gather
from mores.pipelines.questions.pipeline import questions_pipeline
from mores.pipelines.review_sheets import KEY, Checkpoint, read_key
from mores.runs.merge import merged_study
from mores.runs.options import MergeOptions
from mores.runs.spec import Spec, check
from mores.runs.specify import read_study
from mores.worlds.town.plans import read_plans
from mores.worlds.town.population_files import read_population, write_population
from mores.worlds.town.sampling import sample_population
from mores.worlds.town.streets import build_town
from tests.conftest import write_cultural
from tests.models.test_logs import BATCHES, Row, inspect_sample, inspect_zip
from tests.pipelines.test_questions import folder
from tests.runs.conduct import as_left, hold

Dice = random.Random
Change = Callable[[bytes, Dice], bytes]
DEEP, DIGITS = 5_000, 5_000
VALUES = (
    "null", "[]", "{}", "true", "-1", "1e308", "1e999", "9" * 40, "9" * DIGITS, '""', '"x"', "[[]]", '[{"a":[null]}]',
    "NaN", r'"\ud800"', '"\x00"', "0.5", "[1,2]", "2024-01-01", "inf",
)  # fmt: skip
_VALUE = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null')
_NAME = re.compile(rb'"[a-z_]+"(?=\s*:)|^[a-z_]+(?=\s*=)', re.MULTILINE)


def _spot(data: bytes, rng: Dice) -> int:
    return rng.randint(0, len(data))


def cut(data: bytes, rng: Dice) -> bytes:
    return data[: _spot(data, rng)]


def flip(data: bytes, rng: Dice) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 8, 64)) if data else 0):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def drop(data: bytes, rng: Dice) -> bytes:
    begin = _spot(data, rng)
    return data[:begin] + data[begin + rng.choice((1, 4, 40, 400)) :]


def twice(data: bytes, rng: Dice) -> bytes:
    lines = data.split(b"\n")
    number = rng.randrange(len(lines))
    return b"\n".join([*lines[:number], lines[number], *lines[number:]])


def other_value(data: bytes, rng: Dice) -> bytes:
    """One value for another, of any kind: a right shape with strange things in it."""
    found = list(_VALUE.finditer(data))
    if not found:
        return data
    spot = rng.choice(found)
    return data[: spot.start()] + rng.choice(VALUES).encode() + data[spot.end() :]


def other_name(data: bytes, rng: Dice) -> bytes:
    found = list(_NAME.finditer(data))
    if not found:
        return data
    spot = rng.choice(found)
    return data[: spot.start()] + spot[0].replace(b"e", b"a", 1) + data[spot.end() :]


def put(*choices: bytes) -> Change:
    def change(data: bytes, rng: Dice) -> bytes:
        spot = rng.choice((0, len(data), _spot(data, rng)))
        return data[:spot] + rng.choice(choices) + data[spot:]

    return change


def whole(*choices: bytes) -> Change:
    return lambda _, rng: rng.choice(choices)


CHANGES: tuple[Change, ...] = (
    cut, flip, drop, twice, other_value, other_value, other_value, other_name,
    put(b"\x00", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xff\xfe", b"\x1b[31m", "\u202e\u2028".encode(), b"\r", b'"'),
    put(b"[" * DEEP, b"{" * DEEP, b'{"a":' * DEEP, b"9" * DIGITS, b"a." * DEEP + b"a=1\n", b"x=" + b"[" * DEEP + b"\n"),
    whole(b"", b"\n", b"null", b"[]", b"{}", b"7", b'"x"', b"\x00" * 99, b"PK\x03\x04" + b"\x00" * 40),
    whole(b"[" * DEEP + b"]" * DEEP, b'{"a":' * DEEP + b"1" + b"}" * DEEP, b"x = " + b"9" * DIGITS,
          b"x = " + b"[" * DEEP + b"]" * DEEP),
    lambda data, _: data.decode("latin-1").encode("utf-16"),
    lambda data, _: data.replace(b"\n", b"\r\n"),
    lambda data, _: data.replace(b"\n", b"\r"),
    lambda data, _: b"\xef\xbb\xbf" + data,
)  # fmt: skip


@dataclass(frozen=True)
class ModelClient:
    """A file of a folder, as sound bytes, and what a verb does with it."""

    name: str
    folder: Path
    file: str
    read: Callable[[Path], object]

    def tried(self, to: Path, seed: int) -> None:
        """Read a changed copy: it is read, or refused in words.

        Raises:
            AssertionError: anything else happened.
        """
        rng = Dice(seed)
        folder = copytree(self.folder, to)
        data = (self.folder / self.file).read_bytes()
        for _ in range(rng.choice((1, 1, 2))):
            data = rng.choice(CHANGES)(data, rng)
        (folder / self.file).write_bytes(data)
        self.holds(folder)

    def holds(self, folder: Path) -> None:
        """Read the folder's file, be it what it may."""
        try:
            self.read(folder / self.file)
        except MoresError as error:
            said = error_line(str(error))
            assert said
            assert len(said) <= LONGEST + 3


def _study(path: Path) -> None:
    spec, conditions = read_study(path)
    check(spec, conditions)
    _ = spec.hash


def _items(path: Path) -> None:
    benchmark = catalogue.load("culturalbench/easy")
    setting = Setting(
        data=path.parent, protocol=benchmark.card.protocol, seed=Seed("x"), roles={"subject": "baseline/first"}
    )
    list(benchmark.items(setting))


def _run(path: Path) -> None:
    report(ReportArgs(runs=[path.parent], out=path.parent / "new.html"))


def _judged(path: Path) -> None:
    for evaluation in judged_evaluations([path.parent]):
        list(judged_things(evaluation))


def _resumed(path: Path) -> None:
    try:
        again(ResumingArgs(run=path.parent, json=True))
    except SystemExit:
        return


def _journal(path: Path) -> None:
    with closing(EarlierJournal(path)) as earlier:
        earlier.find(bytes(16))
    list(read_entries(path))


def _opened(path: Path) -> None:
    with closing(Journal(path)) as journal:
        journal.find(bytes(16))
        journal.failures()


def _merged(path: Path) -> None:
    """The two parts beside each other put together, of which one has the file, as if its run had left it so."""
    parts = path.parent.parent
    as_left(path.parent)
    merged_study(MergeOptions(runs=[parts / "0", parts / "1"], out=parts / "whole"))


def _parts(base: Path) -> Path:
    """Two parts of a run."""
    data = base / "data"
    data.mkdir()
    write_cultural(data, 4)
    for number in range(2):
        part = base / "parts" / str(number)
        spec = Spec(benchmarks=("culturalbench/easy",), data=str(data), shard=f"{number + 1}/2")
        assert hold(part, spec)
    return base / "parts"


def _values(path: Path) -> None:
    values_of(ValuesOptions(source=path, least=1))


def _questions(path: Path) -> None:
    questions_pipeline(path.parent, {"writer": "simulated/typical", "checker": "simulated/judge"})


EXPORTS: dict[str, object] = {
    "label-studio.json": [{"id": 1, "data": {"code": "ghjkghjkghjk", "words": "w"}, "annotations": [
        {"completed_by": {"id": 1, "email": "a@b"}, "was_cancelled": False, "result": [
            {"from_name": "label", "type": "choices", "value": {"choices": ["yes"]}}]}]}],
    "argilla.json": [{"id": "u", "fields": {"words": "w"}, "metadata": {"code": "ghjkghjkghjk"}, "responses": {
        "label": [{"value": "yes", "user_id": "a"}, {"value": "no", "user_id": "b", "status": "discarded"}]}}],
    "potato.json": [{"id": "ghjkghjkghjk", "label_annotations": {"label": {"yes": "true"}}, "user_id": "a"}],
    "user_state.json": {"user_id": "a", "instance_id_to_label_to_value": {
        "ghjkghjkghjk": [[{"schema": "label", "name": "yes"}, "true"]]}},
    "prodigy.json": [{"text": "w", "meta": {"code": "ghjkghjkghjk"}, "_task_hash": 1, "_annotator_id": "a",
                      "accept": ["yes"], "answer": "accept"}],
}  # fmt: skip
TABLES = {
    "mturk.csv": 'WorkerId,AssignmentStatus,Input.code,Answer.taskAnswers\na,Approved,ghjkghjkghjk,'
                 '"[{""label"":{""yes"":true,""no"":false}}]"\n',
    "qualtrics.csv": 'ResponseId,Finished,Qghjkghjkghjk\nR,F,How?\n"{""ImportId"":""x""}","{}","{}"\nR_1,True,yes\n',
}  # fmt: skip


def write_exports(folder: Path) -> tuple[str, ...]:
    """An export of labels of each tool; their names."""
    for name, told in EXPORTS.items():
        (folder / name).write_text(json.dumps(told))
    for name, table in TABLES.items():
        (folder / name).write_text(table)
    return *EXPORTS, *TABLES


def write_logs(folder: Path) -> tuple[str, ...]:
    """A log of two items of each other program; their names."""
    (folder / "inspect.eval").write_bytes(inspect_zip(inspect_sample(), inspect_sample("q-2")))
    row = {"doc_id": 0, "doc": {"id": "a"}, "arguments": {"gen_args_0": {"arg_0": "Which?"}}, "resps": [["A"]]}
    state = {
        "instance": {"id": "id1", "input": {"text": "Which?"}},
        "request": {"prompt": "Which?"},
        "result": {"success": True, "completions": [{"text": "A", "finish_reason": {"reason": "stop"}}]},
    }
    answer = {"sample_id": "a", "interaction_type": "single_turn", "input": {"raw": "Which?"}, "output": {"raw": ["A"]}}
    (folder / "scenario_state.json").write_text(json.dumps({"request_states": [state]}))
    lines: dict[str, list[Row]] = {
        "lm-eval": [row, {**row, "doc_id": 1}],
        "every": [answer, {**answer, "sample_id": "b"}],
        **BATCHES,
    }
    for name, rows in lines.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows))
    return ("inspect.eval", "scenario_state.json", *(f"{name}.jsonl" for name in lines))


def clients(base: Path) -> Sequence[ModelClient]:
    """All doors with sound files; a few seconds of work."""
    flat = base / "flat"
    flat.mkdir()
    write_cultural(flat, 4)
    (flat / "STUDY.toml").write_text(
        'benchmarks = ["culturalbench/easy"]\nmodels = ["vllm/x"]\nlimit = 4\nseed = 1\n'
        'base_url = "http://localhost:1/v1"\n'
        'places = ["JP"]\n[roles]\njudge = "vllm/y"\n[settings]\na = "b"\n[facts]\nfamily = "f"\n'
        "[conditions]\ntimeout = 3.0\n"
    )
    rows = [{"item": f"easy-{n}", "reply": "A", "sample": 0, "role": "subject", "step": 0} for n in range(3)]
    (flat / "said.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (flat / "said.csv").write_text("item,reply,sample\neasy-0,A,0\neasy-1,B,0\n")
    logs = write_logs(flat)
    (flat / "labels.csv").write_text("item,task,annotator,label,note\nx,label,p1,yes,\nx,label,p2,no,hm\n")
    labels = [{"item": "x", "task": "label", "annotator": "p", "label": "yes", "sample": 0}]
    (flat / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels))
    (flat / "certificates.json").write_text(json.dumps({
        "format": 1, "kind": "clm", "simulated": True, "seed": 0, "labels": {}, "sample": "", "split": "s",
        "certificates": [], "sha": "x"}))  # fmt: skip
    (flat / "sample.json").write_text('{"rows": [], "wanted": {"n": 3}, "population": 5, "sha": "x"}')
    rng = Seed("town")
    people = sample_population(12, rng.child("people"), town=build_town(rng.child("streets")))
    for name in ("people.jsonl", "people.npz"):
        write_population(people, flat / name)
    plans = {"format": 1, "population": people.fingerprint, "planner": "x", "plans": 0, "templates": {}}
    (flat / "plans.jsonl").write_text(json.dumps(plans) + "\n")
    norms = {"base": "x", "version": "1", "licence": "CC0-1.0", "source": "own"}
    (flat / "norms.jsonl").write_text(json.dumps(norms) + "\n")
    said = {"id": "a", "place": "Nepal", "statement": "Boots stay out.", "source": "own"}
    (flat / "statements.jsonl").write_text(json.dumps(said) + "\n")
    (flat / KEY).write_text(json.dumps([{"id": "a", "scenario": "s", "aspect": "cues", "wanted": "yes"}]))
    assert hold(base / "run", Spec(benchmarks=("ladder/explain",), limit=4, places=("JP", "NG")))
    (flat / "responses.csv").write_text("B_COUNTRY_ALPHA,W_WEIGHT,Q1,Q2\nUSA,1,1,2\nUSA,0.5,1,-1\nJPN,1,2,\n")
    parts, bundled = _parts(base), folder(base / "norms")
    run, pack = base / "run", Path(catalogue.__file__).parents[1] / "norms" / "pack"
    return (
        ModelClient("study", flat, "STUDY.toml", _study),
        ModelClient("manifest as study", run, "manifest.json", _study),
        ModelClient("manifest", run, "manifest.json", _run),
        ModelClient("manifest judged", run, "manifest.json", _judged),
        ModelClient("manifest resumed", run, "manifest.json", _resumed),
        ModelClient("estimates", run, "estimates.json", _run),
        ModelClient("verdicts", run, "verdicts.jsonl", _run),
        ModelClient("transcripts", run, "transcripts.jsonl", _run),
        ModelClient("votes", run, "votes.jsonl", _judged),
        ModelClient("journal", run, "journal.sqlite", _journal),
        ModelClient("journal opened", run, "journal.sqlite", _opened),
        ModelClient("data", flat, "culturalbench-easy.csv", _items),
        ModelClient("recorded lines", flat, "said.jsonl", read_recording),
        ModelClient("recorded table", flat, "said.csv", read_recording),
        *(ModelClient(f"log {name}", flat, name, read_recording) for name in logs),
        ModelClient("labels table", flat, "labels.csv", read_label_rows),
        ModelClient("labels lines", flat, "labels.jsonl", read_label_rows),
        *(ModelClient(f"export {name}", flat, name, read_label_rows) for name in write_exports(flat)),
        *(
            ModelClient(f"part {name}", parts, f"1/{name}", _merged)
            for name in ("manifest.json", "verdicts.jsonl", "transcripts.jsonl")
        ),
        ModelClient("responses", flat, "responses.csv", _values),
        ModelClient("bundles", bundled, "bundles.jsonl", _questions),
        ModelClient("base of bundles", bundled, "norms.jsonl", _questions),
        ModelClient("certificates", flat, "certificates.json", read_certificates),
        ModelClient("sample", flat, "sample.json", read_sample),
        ModelClient("population lines", flat, "people.jsonl", read_population),
        ModelClient("population arrays", flat, "people.npz", read_population),
        ModelClient("plans", flat, "plans.jsonl", lambda path: read_plans(path, people)),
        ModelClient("norms", flat, "norms.jsonl", read_base),
        ModelClient("statements", flat, "statements.jsonl", lambda path: gather([str(path)])),
        ModelClient("key of a sheet", flat, KEY, lambda path: read_key(path.parent, Checkpoint)),
        ModelClient("pack", pack, "DE.toml", lambda path: load_pack(path.parent)),
    )
