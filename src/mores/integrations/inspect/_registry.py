"""Tasks that Inspect finds by the entry point `mores`: one of each benchmark, and one of any other.

Each is written out, as `inspect list tasks` and registers of tasks read the file and do not run it.
"""

from typing import Any

from inspect_ai import Task, task

from mores.integrations.inspect.task import benchmark_task, figures, groups, mores, play

__all__ = ["figures", "groups", "mores", "play"]


@task
def blend_saq_local(**options: Any) -> Task:
    """BLEnD, short answers in the local language."""
    return benchmark_task("blend/saq_local", options)


@task
def blend_saq_english(**options: Any) -> Task:
    """BLEnD, short answers in English."""
    return benchmark_task("blend/saq_english", options)


@task
def blend_mcq(**options: Any) -> Task:
    """BLEnD, four options."""
    return benchmark_task("blend/mcq", options)


@task
def blend_semeval_saq(**options: Any) -> Task:
    """SemEval-2026 Task 7, short answers."""
    return benchmark_task("blend/semeval_saq", options)


@task
def blend_semeval_mcq(**options: Any) -> Task:
    """SemEval-2026 Task 7, four options."""
    return benchmark_task("blend/semeval_mcq", options)


@task
def care_norms(**options: Any) -> Task:
    """CARE, social norms."""
    return benchmark_task("care/norms", options)


@task
def culturalbench_easy(**options: Any) -> Task:
    """CulturalBench-Easy."""
    return benchmark_task("culturalbench/easy", options)


@task
def culturalbench_hard(**options: Any) -> Task:
    """CulturalBench-Hard."""
    return benchmark_task("culturalbench/hard", options)


@task
def cultureforest_easy(**options: Any) -> Task:
    """CultureForest, easy."""
    return benchmark_task("cultureforest/easy", options)


@task
def cultureforest_medium(**options: Any) -> Task:
    """CultureForest, medium."""
    return benchmark_task("cultureforest/medium", options)


@task
def cultureforest_hard(**options: Any) -> Task:
    """CultureForest, hard."""
    return benchmark_task("cultureforest/hard", options)


@task
def cultureforest_informed(**options: Any) -> Task:
    """CultureForest, with the norms in the prompt."""
    return benchmark_task("cultureforest/informed", options)


@task
def cultureforest_knowledge(**options: Any) -> Task:
    """CultureForest, norms."""
    return benchmark_task("cultureforest/knowledge", options)


@task
def cure_casa_thick(**options: Any) -> Task:
    """CASA, thick (CURE)."""
    return benchmark_task("cure/casa_thick", options)


@task
def cure_casa_thin(**options: Any) -> Task:
    """CASA, thin (CURE)."""
    return benchmark_task("cure/casa_thin", options)


@task
def cure_culturebank_thick(**options: Any) -> Task:
    """CultureBank, thick (CURE)."""
    return benchmark_task("cure/culturebank_thick", options)


@task
def cure_culturebank_thin(**options: Any) -> Task:
    """CultureBank, thin (CURE)."""
    return benchmark_task("cure/culturebank_thin", options)


@task
def cure_normad_thick(**options: Any) -> Task:
    """NormAd, thick (CURE)."""
    return benchmark_task("cure/normad_thick", options)


@task
def cure_normad_thin(**options: Any) -> Task:
    """NormAd, thin (CURE)."""
    return benchmark_task("cure/normad_thin", options)


@task
def cure_specnorm_thick(**options: Any) -> Task:
    """SpecNorm, thick (CURE)."""
    return benchmark_task("cure/specnorm_thick", options)


@task
def cure_specnorm_thin(**options: Any) -> Task:
    """SpecNorm, thin (CURE)."""
    return benchmark_task("cure/specnorm_thin", options)


@task
def ladder_know(**options: Any) -> Task:
    """Ladder, rung 1: know."""
    return benchmark_task("ladder/know", options)


@task
def ladder_judge(**options: Any) -> Task:
    """Ladder, rung 2: judge."""
    return benchmark_task("ladder/judge", options)


@task
def ladder_explain(**options: Any) -> Task:
    """Ladder, rung 3: explain."""
    return benchmark_task("ladder/explain", options)


@task
def ladder_apply(**options: Any) -> Task:
    """Ladder, rung 4: apply."""
    return benchmark_task("ladder/apply", options)


@task
def ladder_converse(**options: Any) -> Task:
    """Ladder, rung 5: converse."""
    return benchmark_task("ladder/converse", options)


@task
def ladder_live(**options: Any) -> Task:
    """Ladder, rung 6: live."""
    return benchmark_task("ladder/live", options)


@task
def liveculture_town(**options: Any) -> Task:
    """LiveCultureBench: a day in town."""
    return benchmark_task("liveculture/town", options)


@task
def socialcc_dialogue(**options: Any) -> Task:
    """SocialCC: dialogues under pressure."""
    return benchmark_task("socialcc/dialogue", options)


@task
def benchmark(name: str, **options: Any) -> Task:
    """Any benchmark by its name, such as one of another package, or by its folder."""
    return benchmark_task(name, options)
