"""Words out of checkouts of released repositories, in small files of their layouts with words of our own."""

import re
from pathlib import Path

import pytest
from msgspec import structs

from mores.benchmarks import catalogue
from mores.benchmarks.released_prompts import words_of_checkout
from mores.core.errors import InputError
from mores.core.prompt import Prompt
from mores.core.verdict import Graded
from mores.models.request import Request
from mores.runs.protocol import released_words
from tests.benchmarks.plays import TINY, Script, perform, tiny
from tests.runs.conduct import Typed, manifest, transcripts
from tests.runs.conftest import typed

__all__ = ["typed"]

RUNNER = (
    'raise SystemExit\n\ndef main():\n    for line in data:\n        complete_question = line["{form}"]["{name}"]\n'
)
VERIFIER = 'Here: {{context}}\nDone: {{behavior}}\nHeld: {{norm}}\nSay {"Answer": "Satisfy"} or another.'
SCENARIOS = '''
class NormADThinScenario(Scenario):
    def get_instances(self):
        for item in dataset:
            input_text = (
                f"""
                A tale of {item['Country'].capitalize()}.
                {item['Story']}
                One word.\\n"""
            )


class CulturalBankThinScenario(Scenario):
    def get_instances(self):
        input_text = f"""Of {item['cultural group']}:
            - c: {item.get('context', '')}
            - a: {item.get('actor', '')}
            - o: {item.get('other_descriptions', '')}
            Agreed?"""
'''
TEMPLATES = (
    "# made here\ncoverage: |\n  Grade it.\n\n  Norm: {norm}\n    Answer: {reasoning}\n\nother: |\n  Not this.\n"
)


def put(folder: Path, files: dict[str, str]) -> Path:
    """A checkout with these files."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def forest(tmp_path: Path) -> Path:
    """CultureForest's layout."""
    runners = (
        ("easy", "Easy", "Question_MCQ"),
        ("judge1", "Medium", "Question_Judge1"),
        ("open", "Open", "Question_Open"),
    )
    files = {f"inference/run_{run}_vllm.py": RUNNER.format(form=form, name=name) for run, form, name in runners}
    return put(tmp_path / "forest", {**files, "evaluation/CulturalNLI.txt": VERIFIER})


def prompts(*benchmarks: str) -> dict[str, Prompt]:
    return {key: prompt for name in benchmarks for key, prompt in catalogue.prompts(name).items()}


def released(folder: Path, benchmark: str, key: str) -> str:
    """The body of one prompt in the words of a checkout."""
    prompt = catalogue.prompts(benchmark)[key]
    wording = words_of_checkout(folder, [prompt])[prompt.header.name]
    return prompt.reworded(wording).body


def test_a_runner_that_puts_the_question_as_it_stands_gives_a_prompt_of_one_slot(forest: Path) -> None:
    for level in ("easy", "medium", "hard"):
        assert released(forest, f"cultureforest/{level}", f"subject/{level}") == "[[question]]"


def test_the_verifiers_own_prompt_needs_no_place_and_has_no_fence(forest: Path) -> None:
    prompt = catalogue.prompts("cultureforest/hard")["judge/verifier"]
    other = prompt.reworded(words_of_checkout(forest, [prompt])[prompt.header.name])
    assert other.body == 'Here: [[question]]\nDone: [[answer]]\nHeld: [[norm]]\nSay {"Answer": "Satisfy"} or another.'
    assert prompt.header.fence
    assert not other.header.fence
    filled = other.render(place="Japan", question="Q", answer="A", norm="N")
    assert filled.startswith("Here: Q\nDone: A\nHeld: N\n")


def test_an_unfenced_prompt_is_another_prompt(forest: Path) -> None:
    prompt = catalogue.prompts("cultureforest/hard")["judge/verifier"]
    wording = words_of_checkout(forest, [prompt])[prompt.header.name]
    fenced = type(wording)(text=wording.text.replace("fence = false", "fence = true"), file="x")
    assert prompt.reworded(wording).sha != prompt.reworded(fenced).sha


def test_python_is_read_by_class_and_variable_with_columns_as_slots(tmp_path: Path) -> None:
    checkout = put(tmp_path / "cure", {"src/helm/benchmark/scenarios/cure_scenarios.py": SCENARIOS})
    tale = released(checkout, "cure/normad_thin", "subject/normad_thin")
    assert tale.split() == ["A", "tale", "of", "[[place]].", "[[story]]", "One", "word."]
    assert tale.startswith(" " * 16)  # as their own code has it


def test_lines_of_fields_become_the_one_slot_that_stands_for_them(tmp_path: Path) -> None:
    checkout = put(tmp_path / "cure", {"src/helm/benchmark/scenarios/cure_scenarios.py": SCENARIOS})
    body = released(checkout, "cure/culturebank_thin", "subject/culturebank_thin")
    assert [line.strip() for line in body.split("\n")] == ["Of [[group]]:", "[[behaviour]]", "Agreed?"]


def test_a_judges_words_end_where_their_authors_end_them(tmp_path: Path) -> None:
    file = "src/helm/benchmark/annotation/cure_annotator/normad_prompt_templates.yaml"
    body = released(put(tmp_path / "cure", {file: TEMPLATES}), "cure/normad_thick", "judge/coverage")
    assert body == "Grade it.\n\nNorm: [[norm]]\n  Answer: [[answer]]"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            VERIFIER.replace("norm}}", "rule}}"),
            "CulturalNLI.txt: an unknown slot 'rule'; expected context, behavior, norm",
        ),
        (
            "Held: {{norm}}",
            "CulturalNLI.txt: no slot 'context'; expected context, behavior, norm: its layout has changed",
        ),
        (f"{VERIFIER} [[place]]", r"CulturalNLI.txt: its words have '\[\['"),
        ("", "no slot 'context'"),
    ],
)
def test_words_whose_slots_are_not_the_known_ones_are_refused(forest: Path, text: str, says: str) -> None:
    put(forest, {"evaluation/CulturalNLI.txt": text})
    with pytest.raises(InputError, match=says):
        words_of_checkout(forest, prompts("cultureforest/hard").values())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("def main(:", "run_easy_vllm.py: not Python"),
        ("def other():\n    complete_question = 1", "no 'complete_question' in 'main': its layout has changed"),
        ("def main():\n    complete_question = ask(line)", r"run_easy_vllm.py:2: no text with slots; got ask\(line\)"),
    ],
)
def test_code_that_has_changed_is_refused_in_a_line(forest: Path, text: str, says: str) -> None:
    put(forest, {"inference/run_easy_vllm.py": text})
    with pytest.raises(InputError, match=says):
        words_of_checkout(forest, prompts("cultureforest/easy").values())


def test_a_file_that_is_missing_is_named_and_so_are_those_looked_for(forest: Path, tmp_path: Path) -> None:
    (forest / "evaluation" / "CulturalNLI.txt").unlink()
    with pytest.raises(InputError, match=r"CulturalNLI.txt: cannot be read"):
        words_of_checkout(forest, prompts("cultureforest/hard").values())
    with pytest.raises(
        InputError, match=r"no checkout .*looked for inference/run_open_vllm.py of YYF-Tommy/CultureForest"
    ):
        words_of_checkout(tmp_path, prompts("cultureforest/hard").values())
    with pytest.raises(InputError, match="looked for nothing: none is released"):
        words_of_checkout(forest, prompts("ladder/know").values())


def test_a_checkout_gives_words_for_its_own_family_and_for_judges_alone_where_they_alone_are_asked(
    forest: Path,
) -> None:
    found = released_words([forest], ["cultureforest", "culturalbench"])
    levels = {f"cultureforest.{level}.v1" for level in ("easy", "medium", "hard")}
    assert found.keys() == {*levels, "judges.verifier.v1"}
    assert released_words([forest], ["cultureforest"], "judge").keys() == {"judges.verifier.v1"}
    assert catalogue.taken("culturalbench/easy", found) == {}


OURS = re.compile(
    r"ladder\.|town\.resident|blend\.(judge|mcq|semeval_\w+)\.|care\.norms\."
    r"|cure\.culturebank_thick_(persona|question|agreed|disputed)\."
)
"""Prompts for which no paper has any."""


@pytest.mark.parametrize("name", catalogue.names())
def test_every_prompt_after_a_paper_says_where_the_papers_words_stand(name: str) -> None:
    for prompt in catalogue.prompts(name).values():
        header = prompt.header
        assert bool(header.published) != bool(OURS.match(header.name))
        if header.released is not None:
            assert Path(header.released.file).suffix in {".py", ".yaml", ".txt", ".csv"}
            ours = {*header.released.slots.values(), *header.released.lines}
            assert prompt.slots - {"form"} - set(header.optional) <= ours <= prompt.slots | set(header.optional)


def test_a_family_whose_data_are_there_in_part_takes_what_its_benchmarks_have(typed: Typed, tmp_path: Path) -> None:
    put(tmp_path / "cure", {"src/helm/benchmark/scenarios/cure_scenarios.py": SCENARIOS})
    data = put(tmp_path / "data", {"normad.csv": (TINY / "cure" / "normad.csv").read_text(encoding="utf-8")})
    (tmp_path / "mine.md").write_text("Mine: [[group]] [[behaviour]]", encoding="utf-8")
    family = ("run", "cure", "--data", data, "--prompt", "subject/culturebank_thin=mine.md", "--dry")
    assert typed(*family).returncode == 0


def test_judges_of_a_run_that_was_played_are_asked_again_in_released_words(
    typed: Typed, forest: Path, tmp_path: Path
) -> None:
    data = TINY / "cultureforest"
    assert typed("run", "cultureforest/hard", "--data", data, "--out", "run").returncode == 0
    done = typed("judge", "run", "--judge", "simulated/judge", "--prompts-from", forest, "--out", "again")
    assert done.returncode == 0, done.stderr
    again = manifest(tmp_path / "again")
    assert again["protocol"]["faithful"] == {"judge/verifier": "released code of YYF-Tommy/CultureForest"}
    (left,) = [each for each in again["departures"] if "words" in each["setting"]]
    assert (left["setting"], left["used"], left["by_default"]) == (
        "words", "mores' own for judge/norm, subject/hard", True
    )  # fmt: skip


def test_a_run_takes_the_words_of_a_checkout_and_says_so(typed: Typed, forest: Path, tmp_path: Path) -> None:
    data = TINY / "cultureforest"
    line = ("run", "cultureforest/hard", "--data", data, "--prompts-from", forest)
    done = typed(*line, "--out", "run")
    assert done.returncode == 0, done.stderr
    made = manifest(tmp_path / "run")
    used = made["protocol"]["words"]
    assert used["judge/verifier"] == f"evaluation/CulturalNLI.txt {made['prompts']['judges.verifier.v1']}"
    assert made["protocol"]["faithful"].keys() == {"subject/hard", "judge/verifier"}
    assert "Words of prompts as published: released code of YYF-Tommy/CultureForest" in " ".join(done.stdout.split())
    first = transcripts(tmp_path / "run")[0]["events"]
    asked = [event["messages"][0]["content"] for event in first if event.get("role") == "judge" and "messages" in event]
    assert asked
    assert all(words.startswith("Here: ") and "\nDone: " in words for words in asked)
    study = f'benchmarks = ["cultureforest/hard"]\ndata = "{data}"\nprompts_from = ["forest"]\n'
    (tmp_path / "study.toml").write_text(study, encoding="utf-8")
    plain = study.replace('prompts_from = ["forest"]\n', "")
    (tmp_path / "plain.toml").write_text(plain, encoding="utf-8")
    for same in (("study.toml",), ("plain.toml", "--prompts-from", forest)):
        again = typed("run", *same, "--out", "run")  # the same spec, and so the same run
        assert again.returncode == 0, again.stderr
    (tmp_path / "mine.md").write_text("Mine: [[question]]", encoding="utf-8")
    assert typed(*line, "--prompt", "subject=mine.md", "--out", "own").returncode == 0
    files = {name: each["file"] for name, each in manifest(tmp_path / "own")["spec"]["prompts"].items()}
    assert files == {"cultureforest.hard.v1": "mine.md", "judges.verifier.v1": "evaluation/CulturalNLI.txt"}
    missing = typed("run", "cultureforest/hard", "--data", data, "--prompts-from", tmp_path / "none", "--dry")
    assert (missing.returncode, missing.stderr.count("\n")) == (2, 1)


AGENTS = '''
def build_agent_1_prompt(row):
    agent1 = row[6]
    if agent3:
        prompt = f"""
Be {agent1}, speak with {agent2}.
{Scenario} {Event_1} {Event_2}
One: {Agent_1_Background}
Two: {Agent_2_Background}
Three: {Agent_3_Background}
{Cultural_Knowledge} {Cultural_Value} {Agent_1_Goal_1} {Agent_1_Goal_2}
""".strip()
    else:
        prompt = f"""Without a third: {agent1}""".strip()
    return prompt

def build_agent_2_prompt(row):
    prompt = f"""
Be {agent2}, speak with {agent1}.
{Scenario} {Event_1} {Event_2}
One: {Agent_1_Background}
Two: {Agent_2_Background}
Three: {Agent_3_Background}
{Agent_2_Goal_1} {Agent_2_Goal_2}
""".strip()
    return prompt
'''
TALK = "{Scenario} {Event_1} {Event_2} {Dialogue_clean} {Country_Knowledge}"
SCORED = f'''
def eva_prompt(input_path, output_path):
    for line in reader:
        awareness_prompt = f"""Noticed, 0 or 1? {TALK} {{Country_Value}}"""
        knowledge_prompt = f"""Known, 0 to 2? {TALK}"""
        value_prompt = f"""Held, 0 or 1? {TALK} {{Country_Value}}"""
        behavior_prompt = f"""Done, -1 to 2? {TALK} {{Country_Value}} {{Agent2_goal1}} {{Agent2_goal2}}"""
'''


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    """SocialCC's layout."""
    files = {"SocialCC/data/data_preprocess.py": AGENTS, "SocialCC/eva_closed_model_key.py": SCORED}
    return put(tmp_path / "talks", files)


def test_both_minds_of_a_talk_are_told_of_all_people_in_released_words(talks: Path) -> None:
    own, setting, _ = tiny("socialcc/dialogue")
    benchmark = catalogue.load(own.card.name, released_words([talks], ["socialcc"]))
    item = benchmark.items(setting)[0]
    for part in (item.antagonist, item.subject):  # type: ignore[attr-defined]
        brief = part.persona().brief
        assert brief.startswith(f"Be {part.name}, speak with ")
        assert "\n- Character 1: " in brief
        assert "\n- Character 2: " in brief
        assert "Three: " not in brief


def test_a_judge_that_is_asked_in_released_words_is_read_by_its_score(talks: Path) -> None:
    own, setting, _ = tiny("socialcc/dialogue")
    benchmark = catalogue.load(own.card.name, released_words([talks], ["socialcc"]))
    setting = structs.replace(
        setting,
        protocol=structs.replace(setting.protocol, settings={**setting.protocol.settings, "scores": "released"}),
    )
    item = benchmark.items(setting)[0]
    said = {"Noticed": "Strong. Score: 1", "Known": "0", "Held": "I would say 1", "Done": "-1"}

    def say(request: Request) -> str:
        spoken = {"antagonist": "Hello.", "subject": "Hello. GOOD BYE!"}
        return spoken.get(request.tag.role) or said[request.messages[0].content.split(",")[0]]

    ((_, verdicts),) = perform(benchmark, setting, [item], Script(say))
    labels = {v.task: v.label for v in verdicts if isinstance(v, Graded)}
    assert {task: labels[task] for task in ("awareness", "commonsense", "value", "goal", "respected")} == {
        "awareness": "yes", "commonsense": "wrong", "value": "yes", "goal": "no", "respected": "no",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--judge", "vllm/a"), "it asks for a score, not in our form: --set scores=released."),
        (
            ("--judge", "vllm/a", "--judge", "vllm/b", "--set", "scores=released"),
            "expected one judge that is asked once",
        ),
        (("--judge", "simulated/judge", "--set", "scores=released"), "reads scores given elsewhere"),
        (("--judge", "vllm/a", "--set", "scores=released", "--set", "pressure=strong"), "have no slot [[pressure]]"),
        (("--judge", "vllm/a", "--set", "scores=released"), ""),
        ((), ""),
    ],
)
def test_what_released_words_of_talks_do_not_go_with_is_refused(
    typed: Typed, talks: Path, flags: tuple[str, ...], says: str
) -> None:
    base = ("run", "socialcc/dialogue", "--data", TINY / "socialcc", "--prompts-from", talks, "--dry")
    done = typed(*base, "--base-url", "http://localhost:9/v1", *flags)
    assert (done.returncode, done.stderr.count("\n")) == ((2, 1) if says else (0, 0))
    assert says in done.stderr
