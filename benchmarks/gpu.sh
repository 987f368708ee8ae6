#!/bin/sh
# Everything that needs a GPU, on one GPU and within 8 minutes: the tests marked gpu, the correct bank, the wrong bank.
#
#     benchmarks/gpu.sh [PYTHON]
#
# PYTHON: an interpreter that has a CUDA build of torch and what pyproject.toml lists, pytest among it; else .venv's,
# else python3. Nothing is fetched. Exit code 0: all is as it should be; 1: something is not; 3: no GPU here.
set -u
cd "$(dirname "$0")/.." || exit 1
python=${1:-}
if [ -z "$python" ]; then
    python=python3
    [ -x .venv/bin/python ] && python=.venv/bin/python
fi
PYTHONPATH="$PWD/tests:$PWD${PYTHONPATH:+:$PYTHONPATH}"
export PYTHONPATH
if ! why=$("$python" -c 'import gpu_here, sys; why = gpu_here.missing(); print(why or ""); sys.exit(why is not None)'); then
    echo "no GPU here: ${why:-$python cannot look for one}"
    exit 3
fi
"$python" -m pytest -q -m gpu -p no:cacheprovider tests/device
tests=$?
"$python" benchmarks/gpu.py --seconds 330
bank=$?
echo
echo "tests marked gpu: $([ $tests -eq 0 ] && echo pass || echo FAIL)"
echo "bank on the GPU:  $([ $bank -eq 0 ] && echo as it should || echo NOT as it should)"
[ $tests -eq 0 ] && [ $bank -eq 0 ]
