"""A certificate authority named in the environment is trusted, and without one an unknown certificate is not."""

import os
import shutil
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.models.listener import completion

ROOT = Path(__file__).parents[3]
ASK = """
import asyncio, sys
from mores.core.errors import MoresError
from mores.core.seeds import Seed
from mores.models.registry import Connection, open_model
from tests.models.clients import request, put
async def go():
    model = open_model("vllm/test", Seed("s"), Connection(base_url=sys.argv[1], timeout=5))
    try:
        return (await put(model, request())).text
    except MoresError as error:
        return f"refused: {error}"
    finally:
        await model.close()
print(asyncio.run(go()))
"""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = completion("True")
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        return


class Quiet(HTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A handshake that the client broke off is what one test wants."""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl here to make a certificate with")
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject]
    subprocess.run([*command, "-keyout", path, "-out", path.with_name("cert.pem")], check=True, capture_output=True)
    return path


@pytest.fixture(scope="module")
def address(certificate: Path) -> Iterator[str]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.with_name("cert.pem"), certificate)
    with Quiet(("127.0.0.1", 0), Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield f"https://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()
        thread.join()


def ask(address: str, **environment: str) -> str:
    kept = {
        k: v
        for k, v in os.environ.items()
        if not k.lower().endswith("_proxy") and not k.startswith("SSL_") and not k.endswith("_CA_BUNDLE")
    }
    whole = {**kept, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}", **environment}
    command = [sys.executable, "-c", ASK, address]
    done = subprocess.run(command, env=whole, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_an_authority_of_ones_own_is_trusted(address: str, certificate: Path, variable: str) -> None:
    assert ask(address, **{variable: str(certificate.with_name("cert.pem"))}) == "True"


@pytest.mark.parametrize(
    ("first", "second"), [("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"), ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")]
)
def test_one_variable_goes_before_another(address: str, certificate: Path, first: str, second: str) -> None:
    own = str(certificate.with_name("cert.pem"))
    assert ask(address, **{first: own, second: "nowhere.pem"}) == "True"
    assert "nowhere.pem" in ask(address, **{first: "nowhere.pem", second: own})


@pytest.mark.parametrize("variable", ["SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"])
def test_a_folder_of_authorities_of_ones_own_is_trusted(
    address: str, certificate: Path, tmp_path: Path, variable: str
) -> None:
    own = certificate.with_name("cert.pem")
    told = subprocess.run(
        ["openssl", "x509", "-hash", "-noout", "-in", own], check=True, capture_output=True, text=True
    )
    shutil.copy(own, tmp_path / f"{told.stdout.strip()}.0")
    assert ask(address, **{variable: str(tmp_path)}) == "True"


def test_a_file_of_authorities_that_is_not_there_is_named(address: str) -> None:
    said = ask(address, SSL_CERT_FILE="nowhere.pem")
    assert said.startswith(f"refused: vllm/test: the certificate at {address} is not trusted")
    assert "nowhere.pem" in said


def test_an_unknown_certificate_is_refused(address: str) -> None:
    said = ask(address)
    assert said.startswith(f"refused: vllm/test: the certificate at {address} is not trusted")
    assert "name the file of its certificate authority in SSL_CERT_FILE" in said
    assert "self-signed" in said  # there are authorities of the system that it was held against
