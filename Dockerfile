# Two images from one file; `grader image build` builds the first with the few files that it needs.
#
#   worker   python, torch, numpy and the untrusted side of the grader (grader/wire, grader/worker): no reference, no
#            checks, no seeds, no tests. `grader check --runner docker` runs student code in it.
#   grader   the whole grader, for CI services that start one container and run everything in it. The worker is another
#            user there, and that is all that holds the submission back: such reports say "trusted": false.
#
# Builds with BuildKit and with the classic builder, from python:3.11-slim or any image with python3 and its venv module.
ARG BASE=python:3.11-slim

FROM ${BASE} AS packages
# Where pip looks when the context has no wheels/ folder; with one, nothing is fetched.
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
ARG PYPI_INDEX=https://pypi.org/simple
ARG TORCH=torch
ARG NUMPY=numpy
ENV PIP_INDEX_URL=${TORCH_INDEX} PIP_EXTRA_INDEX_URL=${PYPI_INDEX}
WORKDIR /build
# the pattern matches nothing where there is no such folder, and then COPY does not mind
COPY constraints.txt wheel[s] wheels/
RUN set -e; \
    python3 -m venv /opt/python; \
    if ls wheels/*.whl >/dev/null 2>&1; then from="--no-index --find-links wheels"; else from=""; fi; \
    /opt/python/bin/python -m pip install --quiet --no-cache-dir --disable-pip-version-check \
        ${from} --constraint wheels/constraints.txt "${TORCH}" "${NUMPY}"; \
    find /opt/python -name '*.a' -delete; \
    rm -rf /opt/python/lib/python3*/site-packages/torch/include /opt/python/lib/python3*/site-packages/torch/test


FROM ${BASE} AS worker
# a user of its own: `nobody` may own other processes of the host
RUN groupadd --gid 10001 assignment1-worker && \
    useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin assignment1-worker
COPY --from=packages /opt/python /opt/python
COPY grader/__init__.py /opt/worker/grader/
COPY grader/wire /opt/worker/grader/wire
COPY grader/worker /opt/worker/grader/worker
# a .pth file, because isolated mode (-I) ignores PYTHONPATH; bytecode now, because the container cannot write any
RUN echo /opt/worker > "$(/opt/python/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/worker.pth" && \
    /opt/python/bin/python -m compileall -q /opt/worker
ENV PATH=/opt/python/bin:/usr/local/bin:/usr/bin:/bin
WORKDIR /tmp
USER 10001:10001
CMD ["/opt/python/bin/python", "-I", "-B", "-X", "utf8", "-m", "grader.worker.relay", "3600"]


FROM packages AS grader-packages
COPY pyproject.toml README.md Dockerfile ./
COPY grader grader
COPY reference reference
COPY submissions_template submissions_template
RUN set -e; cp wheels/constraints.txt .; \
    if ls wheels/*.whl >/dev/null 2>&1; then from="--no-index --find-links wheels"; else from=""; fi; \
    /opt/python/bin/python -m pip install --quiet --no-cache-dir --disable-pip-version-check \
        ${from} --constraint constraints.txt .; \
    cd "$(/opt/python/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"; \
    chmod -R go= reference; \
    find grader -mindepth 1 -maxdepth 1 ! -name wire ! -name worker ! -name __init__.py -exec chmod -R go= {} +


FROM ${BASE} AS grader
RUN groupadd --gid 10001 assignment1-worker && \
    useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin assignment1-worker
COPY --from=grader-packages /opt/python /opt/python
ENV PATH=/opt/python/bin:/usr/local/bin:/usr/bin:/bin
# as root, so that the worker can be another user: docker run --rm -v FOLDER:/submission:ro IMAGE
WORKDIR /root
ENTRYPOINT ["grader"]
CMD ["check", "/submission"]


# what a plain `docker build .` makes
FROM worker
