#!/bin/sh
# Make the environments of the contenders that are not ours, under build/. Each is apart: their pins disagree.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p build
python=${PYTHON:-python3}

make_environment() { # NAME PACKAGE...
    environment="build/.venv-$1"
    shift
    [ -x "$environment/bin/python" ] || "$python" -m venv "$environment"
    "$environment/bin/python" -m pip install --quiet "$@"
}

make_environment openai "openai[aiohttp]>=2"
make_environment inspect inspect-ai "openai>=2"
make_environment lmeval "lm-eval[api]"
