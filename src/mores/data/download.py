"""Files of repositories brought onto this disk: of the Hugging Face hub into its own cache, of GitHub beside it.

A download that breaks is gone on with where it broke; keys are those that `hf auth login` or HF_TOKEN hold, and go to
the hub alone. `HF_ENDPOINT` and `MORES_GITHUB` name other addresses, such as those of a mirror.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from mores.core.errors import InputError, Unreachable
from mores.core.extras import needed
from mores.data.sources import TABLES, Repository, SourceFile

GITHUB = "https://raw.githubusercontent.com"
TOGETHER = 8
"""Files that are asked for at once."""


class Download(NamedTuple):
    """One file of a repository as it lies on this disk, with the entry that asked for it."""

    entry: SourceFile
    name: str
    path: Path


def endpoint() -> str | None:
    """Address of the hub where it is not the usual one."""
    return os.environ.get("HF_ENDPOINT") or None


def hub_library(part: str = "") -> Any:
    """The hub's library, or a part of it, which sends its server no word of this machine and prints no attempts.

    Raises:
        InputError: it is not installed.
    """
    # Read as it is imported. With telemetry it asks its server for a list of programs even when it is to ask nobody.
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("HF_HUB_VERBOSITY", "error")
    return needed(f"huggingface_hub.{part}" if part else "huggingface_hub")


def commit_of(repository: Repository, revision: str) -> str:
    """Commit of a dataset of the hub that a branch or a tag means now.

    Raises:
        InputError: the hub has no such repository, or gives it to nobody here.
        Unreachable: the hub does not answer.
    """
    with _errors_as_lines(repository, revision):
        found: str = hub_library().HfApi(endpoint=endpoint()).dataset_info(repository.repo, revision=revision).sha
    return found


def of_hub(repository: Repository, revision: str, *, offline: bool) -> tuple[Download, ...]:
    """Files of a dataset of the hub, which its cache keeps; `offline` takes them from there alone.

    Raises:
        InputError: a file or the revision is not there, it is gated, or offline and not in the cache.
        Unreachable: the hub does not answer.
    """
    hub = hub_library()
    if offline and any(entry.is_pattern for entry in repository.files):
        raise not_here(repository)

    def bring(asked: tuple[SourceFile, str]) -> Download:
        where = {"repo_type": "dataset", "revision": revision, "local_files_only": offline, "endpoint": endpoint()}
        with _errors_as_lines(repository, revision, asked[1], offline=offline):
            return Download(*asked, Path(hub.hf_hub_download(repository.repo, asked[1], **where)))

    with _errors_as_lines(repository, revision):
        wanted = [*_named(repository, revision)]
    with ThreadPoolExecutor(TOGETHER) as together:
        return tuple(together.map(bring, wanted))


def of_github(repository: Repository, revision: str, folder: Path) -> tuple[Download, ...]:
    """Files of a commit on GitHub, brought into a new folder.

    Raises:
        InputError: a file is not there.
        Unreachable: GitHub does not answer.
    """
    http_get = hub_library("file_download").http_get
    home = os.environ.get("MORES_GITHUB") or GITHUB
    found = []
    folder.mkdir()
    for number, entry in enumerate(repository.files):
        path = folder / f"{number}{PurePosixPath(entry.name).suffix}"
        with _errors_as_lines(repository, revision, entry.name), path.open("wb") as file:
            http_get(f"{home}/{repository.repo}/{revision}/{entry.name}", file, displayed_filename=entry.name)
        found.append(Download(entry, entry.name, path))
    return tuple(found)


def _named(repository: Repository, revision: str) -> Iterator[tuple[SourceFile, str]]:
    """Names of the files that each entry stands for.

    Raises:
        InputError: a pattern matches nothing, or several files that would have one name here.
    """
    listed: Sequence[str] = ()
    for entry in repository.files:
        if not entry.is_pattern:
            yield entry, entry.name
            continue
        listed = listed or _listed(repository, revision)
        names = [name for name in listed if fnmatchcase(name, entry.name)]
        if not names or len({entry.place_of(name) for name in names}) < len(names):
            what = ", ".join((names or listed)[:8]) or "none"
            raise InputError(
                f"{repository.repo}@{revision}: its tables are {what}; expected "
                f"{'one of each ending' if names else entry.name}. Download what is wanted from {repository.page}, and "
                "name it with --data."
            )
        yield from ((entry, name) for name in names)


def _listed(repository: Repository, revision: str) -> list[str]:
    """Tables of a repository of the hub, by name."""
    api = hub_library().HfApi(endpoint=endpoint())
    paths = map(PurePosixPath, api.list_repo_files(repository.repo, revision=revision, repo_type="dataset"))
    tables = (path for path in paths if path.suffix in TABLES and path.name != "dataset_infos.json")
    return sorted(str(path) for path in tables if not any(part.startswith(".") for part in path.parts))


def not_here(repository: Repository) -> InputError:
    """Error where a repository would have to be asked, and nobody may be."""
    return InputError(f"{repository.repo}: it is not on this machine, and --offline asks nobody; fetch it without.")


@contextmanager
def _errors_as_lines(repository: Repository, revision: str, file: str = "", *, offline: bool = False) -> Iterator[None]:
    """Turn what a repository can refuse into one line.

    Raises:
        InputError: it refuses, or has no such thing.
        Unreachable: it does not answer.
    """
    errors: Any = hub_library("errors")
    page, at = repository.page, f"{repository.repo}@{revision}"
    try:
        yield
    except errors.GatedRepoError as error:
        raise InputError(
            f"{repository.repo} is gated: accept its terms at {page}, log in with hf auth login, and fetch it again."
        ) from error
    except errors.LocalEntryNotFoundError as error:
        raise (not_here(repository) if offline else _unreachable(at, error)) from error
    except errors.RevisionNotFoundError as error:
        raise InputError(f"{at}: no such revision; those that there are stand at {page}/commits/main.") from error
    except errors.RepositoryNotFoundError as error:
        raise InputError(
            f"{repository.repo}: no such dataset at {page}, or a private one; log in with hf auth login."
        ) from error
    except errors.EntryNotFoundError as error:
        raise InputError(f"{at}: no file {file}; its files stand at {page}. Name another --revision.") from error
    except errors.HfHubHTTPError as error:
        if error.response.status_code == 404:
            raise InputError(f"{at}: no file {file}; its files stand at {page}. Name another --revision.") from error
        raise _unreachable(at, error) from error
    except (errors.OfflineModeIsEnabled, OSError, needed("httpx2").HTTPError) as error:
        raise _unreachable(at, error) from error


def _unreachable(at: str, error: Exception) -> Unreachable:
    why = str(error.__cause__ or error).strip().splitlines()
    return Unreachable(f"{at}: it cannot be fetched now ({why[0] if why else type(error).__name__}); try again.")
