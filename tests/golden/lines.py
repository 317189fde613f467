"""What is typed: runs, what lies between them, and every analysis on them. A name is that of a file of results."""

# ruff: noqa: E501 - a line is typed on one line

SOME = "--places JP,NG,BR"
HALF = "AU,BR,CN,DE,EG,ET,FR,GB,ID,IN,IT,JP,KE,KR,MX,NG,PE,PK,US"
"""Half of the places: talks enough for a certificate."""
LADDER = f"run ladder --limit 15 {SOME}"
CURE = "run cure --data data/cure --limit 12"
JURY = "--judge simulated/judge --judge simulated/expert:failure=.05 --judge-samples 2 --judge-temperature 1"
TALKS = (
    "run socialcc -m simulated/typical -m simulated/novice --data data/socialcc --set pressure=none,strong --limit 12"
)
TOWN = "run liveculture --data data/town --limit 10 --set steps=20"
MANY = "run culturalbench/easy --data data/cultural"
CLOSED = "run culturalbench -m simulated/typical -m simulated/novice:format_error=.2,refusal=.1 -m baseline/first"
CLOSED += " --data data/cultural --samples 2 --shuffle"


def _people(first: int) -> str:
    """Twenty simulated models, from those who know little to those who know much."""
    return " ".join(f"-m simulated/typical:know={0.2 + 0.035 * n:.3f},person={first + n}" for n in range(20))


RUNS = {
    "run-ladder": f"{LADDER} --out ladder --json",
    "run-ladder-jury": "run ladder --limit 8 --places JP,NG -m simulated/novice --judge simulated/judge --judge simulated/expert --seed 1"
    " --samples 2 --out ladder-jury --json",
    "run-ladder-pack": "run ladder --data data/pack --out ladder-pack --json",
    "run-closed": f"{CLOSED} --out closed --json",
    "run-recorded": "run culturalbench/easy -m recorded/data/said.jsonl --data data/cultural --out recorded --json",
    "run-forest": "run cultureforest --data data/forest --out forest --json",
    "run-informed": "run cultureforest/informed --set level=hard --set verdicts=repeated --judge-temperature 1"
    " --data data/forest --samples 1 --limit 20 --out informed --json",
    "run-cure": f"{CURE} {JURY} --out cure --json",
    "run-cure-binary": "run cure/normad_thick --data data/cure --set scale=binary --out cure-binary --json",
    "run-talks": f"{TALKS} --samples 2 --out talks --json",
    "run-town": f"{TOWN} --out town --json",
    "run-town-novice": f"{TOWN} -m simulated/novice:failure=.002,refusal=.02 --out town-novice --json",
    "run-town-pressed": f"{TOWN} --set pressure=strong --out town-pressed --json",
}  # fmt: skip
SOME_FOREST = "run cultureforest/easy cultureforest/knowledge --data data/forest --samples 1"
FIRM = "simulated/judge:sensitivity=.85,specificity=.85"
LABELS = "--sample sample --labels labels.csv"
BETWEEN = (
    f"{TOWN} --set cultures=2 --out town-mixed --json",
    f"{SOME_FOREST} -m simulated/expert -m simulated/novice -m simulated/typical:person=3 -m simulated/uneven --out woods --json",
    f"{LADDER} -m simulated/uneven:refusal=.05,failure=.002,person=1 --out ladder-uneven --json",
    f"{CLOSED} --seed 1 --out closed-later --json",
    "run cultureforest -m simulated/uneven:failure=.05 --data data/forest --out forest-uneven --json",
    f"{CURE} {JURY} -m simulated/novice:failure=.05 --out cure-novice --json",
    f"{TALKS} --samples 2 --seed 1 --out talks-later --json",
    f"{MANY} {_people(0)} --fact family=oak --out oak --json",
    f"{MANY} {_people(20)} --fact family=elm --out elm --json",
    f"run ladder/converse --seed 3 --places {HALF} --out converse --json",
    f"judge again converse --judge {FIRM} --samples 6 --judge-temperature 1 --logprobs --out draws --json",
    "judge again converse --judge simulated/expert --judge simulated/novice --samples 3 --judge-temperature 1 --out jury --json",
    "judge sample converse --n 120 --task goal --out sample",
    "simulate converse --sample sample --people 1 --accuracy 1 --out labels.csv",
    "simulate converse --people 2 --accuracy .95,.85 --out all.csv",
    "simulate cure --people 3 --accuracy .95,.8 --out cure.csv",
    "judge sample talks --n 240 --one-per none --out sample-talks",
    "simulate talks --sample sample-talks --people 2 --out talks.csv",
    "simulate town --people 2 --out town.csv",
    "simulate forest --people 2 --out forest.csv",
    "simulate informed --people 2 --out informed.csv",
    "simulate ladder-jury --people 2 --out ladder.csv",
    f"judge again cure-binary --judge {FIRM} --set scale=continuous --samples 5 --judge-temperature 1 --logprobs --out draws-points --json",
    "simulate draws-points --people 1 --noise .1 --out points.csv",
)
RESULTS = {
    "report-ladder": "report ladder ladder-uneven --json",
    "report-ladder-judges": "report ladder-jury --labels ladder.csv --json",
    "report-ladder-pack": "report ladder-pack --judge-range .9-1 --json",
    "report-closed": "report closed closed-later --json",
    "report-recorded": "report recorded --json",
    "report-forest": "report forest forest-uneven --json",
    "report-informed": "report informed --labels informed.csv --json",
    "report-cure": "report cure cure-novice --json",
    "report-talks": "report talks --json",
    "report-town": "report town town-novice town-pressed town-mixed --json",
    "report-woods": "report woods --json",
    "compare-closed": "compare closed closed-later --json",
    "compare-ladder": "compare ladder ladder-uneven --json",
    "compare-forest": "compare forest forest-uneven --json",
    "compare-cure": "compare cure cure-novice --judge-quality .7 --json",
    "compare-talks": "compare talks talks-later --json",
    "compare-town": "compare town town-novice --json",
    "agreement-converse": f"judge agreement converse {LABELS} --json",
    "agreement-jury": "judge agreement jury --labels all.csv --disagreement .3 --json",
    "agreement-points": "judge agreement draws-points --labels points.csv --json",
    "agreement-cases": f"judge agreement converse {LABELS} --split test --cases cases.csv --json",
    "agreement-cure": "judge agreement cure --labels cure.csv --json",
    "agreement-talks": "judge agreement talks --sample sample-talks --labels talks.csv --json",
    "agreement-town": "judge agreement town --labels town.csv --json",
    "agreement-forest": "judge agreement forest --labels forest.csv --json",
    "calibrate-clm": f"judge sets draws {LABELS} --out clm.json --figure clm.svg --json",
    "calibrate-clm-jury": "judge sets draws jury --labels all.csv --held-out .5 --risk .35 --task goal --json",
    "calibrate-clm-places": "judge sets draws --labels all.csv --task goal --risk .35 --by place --quality gnmt --json",
    "calibrate-clm-draws": f"judge sets draws {LABELS} --risk .35 --quality gnmt --mode pareto --json",
    "calibrate-clm-mean": f"judge sets draws {LABELS} --risk .35 --quality prefix --similarity plain --json",
    "calibrate-clm-paper": f"judge sets draws {LABELS} --risk .35 --protocol paper --json",
    "calibrate-clm-claims": f"judge sets draws {LABELS} --risk .35 --claims 2 --json",
    "calibrate-selective-likelihood": "judge selective draws --labels all.csv --held-out .5 --one-per-episode --confidence likelihood --json",
    "calibrate-selective": f"judge selective draws {LABELS} --out selective.json --json",
    "calibrate-apply": "judge apply clm.json draws --risk .35 --out applied --json",
    "calibrate-apply-selective": "judge apply selective.json draws --risk .17 --out applied-selective --json",
    "correct-converse": f"judge correct converse {LABELS} --by place --json",
    "correct-cure": "judge correct cure --labels cure.csv --json",
    "correct-talks": "judge correct talks --sample sample-talks --labels talks.csv --json",
    "correct-points": "judge correct draws-points --labels points.csv --json",
    "correct-town": "judge correct town --labels town.csv --json",
    "plan-ladder": f"plan ladder {SOME} --json",
    "plan-closed": "plan culturalbench --from closed --from closed-later --data data/cultural --json",
    "plan-cure": "plan cure/normad_thick -m simulated/typical --data data/cure --judge-quality .7 --samples 2 --json",
    "plan-town": "plan liveculture --data data/town --from town --difference .1 --json",
    "build-town-norms": "build town-norms --from pack --out town-norms.jsonl --json",
    "items-closed": "items closed closed-later recorded --json",
    "items-many": "items oak elm --json",
    "report-many": "report oak --json",
    "report-trust": f"report draws {LABELS} --certificate clm.json --certificate selective.json --json",
}  # fmt: skip
