"""Which files are logs of other programs, told before any reader of them is imported."""

from pathlib import Path

ZIP = b"PK\x03\x04"
KNOWN = (
    "logs of Inspect (.eval), lm-evaluation-harness (samples_*.jsonl), HELM (scenario_state.json) and Every Eval Ever "
    "(*_samples.jsonl), and batch results of OpenAI, vLLM, Anthropic and Gemini, are read as well"
)


def is_zip(path: Path) -> bool:
    """Whether a file is Inspect's `.eval`, or a zip by another name."""
    if path.suffix == ".eval":
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(ZIP)) == ZIP
    except (OSError, ValueError):
        return False
