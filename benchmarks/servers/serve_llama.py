"""llama.cpp's own HTTP server from a Python package: `python serve_llama.py GGUF PORT CONTEXT [NAME [THREADS]]`.

It ends with a signal, and once nobody holds its standard input any more, so that it never outlives whoever started it.
It runs in an environment of its own and so imports nothing of this project.
"""

import sys

import xllamacpp

SLOTS = 4


def main() -> None:
    """Serve until a signal comes or standard input ends."""
    file, port, context, *more = sys.argv[1:]
    name, threads = [*more, *("tiny", "1")[len(more) :]]
    wish = xllamacpp.CommonParams()
    wish.model.path = file
    wish.model_alias = {name}
    wish.port, wish.hostnames = int(port), ["127.0.0.1"]
    wish.n_parallel, wish.n_ctx = SLOTS, SLOTS * int(context)
    wish.cpuparams.n_threads = wish.cpuparams_batch.n_threads = int(threads)
    wish.use_jinja, wish.warmup, wish.endpoint_metrics = True, True, True
    server = xllamacpp.Server(wish)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
