#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image: Python, PyTorch's CPU build, and a user for the worker.
set -euo pipefail
root="${AUTOGRADER_ROOT:-/autograder}"
source="$root/source"
python="${GRADER_SETUP_PYTHON:-python3}"

usable() { "$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; }
if ! usable; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3 python3-venv
fi
if ! usable; then
    echo "Python 3.10 or later is needed; choose a newer base image for the autograder" >&2
    exit 1
fi
"$python" -m venv "$root/python"
install() { "$root/python/bin/python" -m pip install --quiet --disable-pip-version-check "$@"; }
# the CPU build comes first, or pip fetches gigabytes of CUDA
torch="$(grep -i '^torch\b' "$source/requirements.txt")"
index="${TORCH_INDEX-https://download.pytorch.org/whl/cpu}"
install ${index:+--index-url "$index"} --constraint "$source/constraints.txt" "$torch" || install ${index:+--index-url "$index"} "$torch"
# pins that this Python is too old for are no reason to fail
install --constraint "$source/constraints.txt" --requirement "$source/requirements.txt" || install --requirement "$source/requirements.txt"

# student code runs as this user, who cannot read the solution, the checks or the results
if [ "$(id -u)" = 0 ] && ! id assignment1-worker >/dev/null 2>&1; then
    useradd --system --no-create-home --home-dir /tmp --shell /usr/sbin/nologin assignment1-worker
fi
chmod -R go= "$source/lib/reference"
find "$source/lib/grader" -mindepth 1 -maxdepth 1 ! -name wire ! -name worker ! -name __init__.py -exec chmod -R go= {} +
if [ -f "$source/assignment.toml" ]; then chmod go= "$source/assignment.toml"; fi
