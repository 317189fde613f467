"""A stand-in of the Hugging Face hub and of GitHub's files: datasets of a few rows on this machine."""

import json
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from mores.data.download import hub_library

NEWEST = "a" * 40
TOKEN = "hf_of_a_test"


@dataclass
class Hub:
    """What it holds, by repository and file; what was asked of it; and what it does wrong."""

    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    gated: set[str] = field(default_factory=set)
    breaks: int = 0
    """Bytes after which the next answer breaks off."""
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    committed: dict[str, bytes] = field(default_factory=dict)
    """Files of the last commit that was sent."""
    url: str = ""

    def environment(self, folder: Path) -> dict[str, str]:
        """Variables under which a command asks here, and keeps what it has in a folder."""
        return {
            "HF_ENDPOINT": self.url, "MORES_GITHUB": f"{self.url}/github", "HF_HOME": str(folder / "hf"),
            "XDG_DATA_HOME": str(folder / "xdg"), "HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        }  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    hub: Hub

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        """Take a commit by who has the key, in the steps that the library makes."""
        path = urlsplit(self.path).path.strip("/")
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.hub.asked.append((self.command, path, {}))
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._send(401, b"")
            return
        match path.split("/"):
            case ["api", "repos", "create"]:
                asked = json.loads(body)
                name = f"{asked.get('organization')}/{asked['name']}"
                found: Any = {"url": f"{self.hub.url}/datasets/{name}", "private": asked.get("private")}
            case ["api", "validate-yaml"]:
                found = {"errors": [], "warnings": []}
            case ["api", "datasets", _, _, "preupload", _]:
                names = [each["path"] for each in json.loads(body)["files"]]
                found = {"files": [{"path": n, "uploadMode": "regular", "shouldIgnore": False} for n in names]}
            case ["api", "datasets", org, name, "commit", _]:
                sent = [each["value"] for line in body.splitlines() if (each := json.loads(line))["key"] == "file"]
                self.hub.committed = {each["path"]: b64decode(each["content"]) for each in sent}
                home = f"{self.hub.url}/datasets/{org}/{name}"
                found = {"success": True, "commitOid": NEWEST, "commitUrl": f"{home}/commit/{NEWEST}"}
                if "create_pr=1" in self.path:
                    found["pullRequestUrl"] = f"{home}/discussions/1"
            case _:
                self._send(404, b"")
                return
        self._send(200, json.dumps(found).encode())

    def log_message(self, *args: Any) -> None:
        """Nothing is printed."""

    def _answer(self) -> None:
        path = unquote(urlsplit(self.path).path).strip("/")
        self.hub.asked.append((self.command, path, {name.lower(): value for name, value in self.headers.items()}))
        match path.split("/"):
            case ["api", "datasets", org, name, *more]:
                self._about(f"{org}/{name}", more)
            case ["datasets", org, name, "resolve", revision, *file]:
                self._file(f"{org}/{name}", revision, "/".join(file))
            case ["github", org, name, revision, *file]:
                self._file(f"{org}/{name}", revision, "/".join(file))
            case _:
                self._send(404, b"")

    def _about(self, repo: str, more: list[str]) -> None:
        held = self.hub.files.get(repo)
        if held is None:
            self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"})
        elif more[:1] == ["tree"]:
            listed = [{"type": "file", "path": name, "size": len(data), "oid": "0"} for name, data in held.items()]
            self._send(200, json.dumps(listed).encode())
        else:
            self._send(200, json.dumps({"id": repo, "sha": NEWEST}).encode())

    def _file(self, repo: str, revision: str, name: str) -> None:
        if repo in self.hub.gated and self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._send(401, b"", {"X-Error-Code": "GatedRepo"})
            return
        data = self.hub.files.get(repo, {}).get(name)
        if data is None:
            self._send(404, b"", {"X-Error-Code": "EntryNotFound"})
            return
        first = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")[0])
        head = {"X-Repo-Commit": revision, "ETag": f'"{sha256(data).hexdigest()}"', "Accept-Ranges": "bytes"}
        if first:
            head["Content-Range"] = f"bytes {first}-{len(data) - 1}/{len(data)}"
        self._send(206 if first else 200, data[first:], head)

    def _send(self, status: int, data: bytes, head: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (head or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            cut = self.hub.breaks
            if 0 < cut < len(data):
                self.hub.breaks = 0
                data = data[:cut]
            self.wfile.write(data)
            self.close_connection = True


@contextmanager
def serving() -> Iterator[Hub]:
    """A hub that holds nothing yet."""
    hub = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def keep_apart(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the library keep files and look for keys in a folder: it has read its variables when it was imported."""
    constants: Any = hub_library("constants")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(folder / "hf" / "hub"))
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(folder / "hf" / "token"))
    monkeypatch.delenv("HF_TOKEN", raising=False)
