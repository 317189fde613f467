"""A folder of results put into a dataset of the hub, by the key that `hf auth login` or HF_TOKEN hold."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mores.core.errors import InputError, Unreachable
from mores.core.extras import needed
from mores.data.download import endpoint, hub_library

MODELS = "models/"
"""Files that belong to models' own repositories, and go into no dataset."""


def push(folder: Path, files: Iterable[str], repo: str, *, create_pr: bool) -> str:
    """Upload files of a folder to a dataset, as a pull request or as a commit, and give the address of either.

    A dataset that is not there is made, private, unless it is to be a pull request.

    Raises:
        InputError: the key is missing or may not write there, or there is no such dataset.
        Unreachable: the hub does not answer.
    """
    errors: Any = hub_library("errors")
    api = hub_library().HfApi(endpoint=endpoint())
    try:
        if not create_pr:
            api.create_repo(repo, repo_type="dataset", private=True, exist_ok=True)
        # One commit, so that no dataset is half of one run and half of another.
        added = [hub_library().CommitOperationAdd(name, folder / name) for name in files if not name.startswith(MODELS)]
        done = api.create_commit(
            repo, added, repo_type="dataset", create_pr=create_pr, commit_message="Results of mores"
        )
    except errors.HfHubHTTPError as error:
        if error.response.status_code in {401, 403, 404}:
            raise InputError(
                f"--push {repo}: the hub refuses it ({error.response.status_code}); log in with hf auth login, by a "
                "key that may write there."
            ) from error
        raise Unreachable(f"--push {repo}: the hub does not take it now ({error}); try again.") from error
    except needed("httpx2").HTTPError as error:
        raise Unreachable(f"--push {repo}: the hub cannot be reached ({error}); try again.") from error
    return str((done.pr_url if create_pr else None) or done.commit_url)
