"""llama.cpp's own HTTP server in a process of its own: `python -m tests.servers.llama FILE PORT CONTEXT [KEY]`.

It prints its port once it listens, and ends when standard input does.
"""

import sys


def main() -> None:
    """Serve until standard input ends."""
    import xllamacpp  # noqa: PLC0415 - not every machine has a wheel of it, and collecting tests reads this file

    file, port, context, *key = sys.argv[1:]
    wish = xllamacpp.CommonParams()
    wish.model.path = file
    wish.port, wish.hostnames = int(port), ["127.0.0.1"]
    wish.n_ctx, wish.n_parallel = int(context), 1
    wish.cpuparams.n_threads = wish.cpuparams_batch.n_threads = 1
    wish.use_jinja, wish.warmup, wish.api_keys = True, False, key
    server = xllamacpp.Server(wish)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
