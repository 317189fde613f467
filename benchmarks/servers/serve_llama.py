"""llama.cpp's own HTTP server from a Python package: `python serve_llama.py GGUF PORT CONTEXT`. It ends with a signal.

It runs in an environment of its own and so imports nothing of this project.
"""

import signal
import sys

import xllamacpp

SLOTS = 4


def main() -> None:
    """Serve until a signal comes."""
    file, port, context = sys.argv[1:]
    wish = xllamacpp.CommonParams()
    wish.model.path = file
    wish.model_alias = {"tiny"}
    wish.port, wish.hostnames = int(port), ["127.0.0.1"]
    wish.n_parallel, wish.n_ctx = SLOTS, SLOTS * int(context)
    wish.cpuparams.n_threads = wish.cpuparams_batch.n_threads = 1
    wish.use_jinja, wish.warmup, wish.endpoint_metrics = True, True, True
    server = xllamacpp.Server(wish)
    print(server.listening_address, flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
