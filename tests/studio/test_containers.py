"""Files of containers keep in step with the commands that they start."""

from pathlib import Path

import yaml

from mores.studio.config import StudioConfig
from tests.runs.conduct import mores

DEPLOY = Path(__file__).parents[2] / "deploy"


def _compose() -> dict[str, dict[str, dict[str, object]]]:
    found: dict[str, dict[str, dict[str, object]]] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def test_the_studio_is_started_with_flags_that_it_takes() -> None:
    known = mores("studio", "serve", "--help", cwd=DEPLOY).stdout
    studio = _compose()["services"]["studio"]
    command = [str(each) for each in studio["command"]]  # type: ignore[attr-defined]
    assert all(each.partition("=")[0] in known for each in command)
    assert "mores studio serve" in str(studio["entrypoint"])


def test_the_network_behind_the_proxy_is_the_one_that_is_trusted() -> None:
    compose = _compose()
    command = [str(each) for each in compose["services"]["studio"]["command"]]  # type: ignore[attr-defined]
    trusted = [each.partition("=")[2] for each in command if each.startswith("--proxy=")]
    outside = compose["networks"]["outside"]["ipam"]["config"][0]["subnet"]  # type: ignore[index]
    assert trusted == [outside]
    assert compose["networks"]["inside"]["internal"] is True
    assert "ports" not in compose["services"]["studio"]
    assert "ports" not in compose["services"]["database"]


def test_the_port_and_the_folder_are_the_studios_own(tmp_path: Path) -> None:
    port = StudioConfig(folder=tmp_path).port
    told = (DEPLOY / "Containerfile").read_text()
    assert f"EXPOSE {port}" in told
    assert str(_compose()["services"]["proxy"]["command"]).endswith(f"'studio:{port}']")
    assert "USER studio" in told


def test_no_secret_stands_in_the_files() -> None:
    compose = _compose()
    assert compose["secrets"] == {"database-password": {"file": "./database-password"}}
    assert (DEPLOY / ".gitignore").read_text() == "database-password\n"
    assert "PASSWORD:" not in (DEPLOY / "compose.yaml").read_text()
