# The image of web, workers and beat: docker-compose.yml says how each is run.
#
# Everything is in it, the embedding model too: a container fetches nothing when it starts.

FROM python:3.11.15-slim-bookworm AS build
# torch for the processor alone. With a graphics card: --build-arg TORCH_INDEX=https://download.pytorch.org/whl/cu128
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/venv
COPY requirements.txt /tmp/requirements.txt
RUN /opt/venv/bin/pip install --extra-index-url "$TORCH_INDEX" --requirement /tmp/requirements.txt

FROM python:3.11.15-slim-bookworm AS run
RUN groupadd --gid 10001 caesar \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/caesar --shell /usr/sbin/nologin caesar \
    && install -d -o 10001 -g 10001 -m 0700 /var/lib/caesar
COPY --from=build /opt/venv /opt/venv
WORKDIR /app
COPY manage.py LICENSE .env.example ./
COPY memory ./memory
COPY workers ./workers
COPY dashboard ./dashboard
COPY caesar ./caesar
COPY deploy/init.py ./deploy/init.py
RUN /opt/venv/bin/python -m compileall -q memory workers dashboard caesar
# The last line's variables are those that `up` gives its processes.
ENV PATH=/opt/venv/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONDONTWRITEBYTECODE=1 \
    HF_HUB_OFFLINE=1 \
    HOME=/tmp \
    CAESAR_HOME=/var/lib/caesar \
    CAESAR_HOST=0.0.0.0 \
    CAESAR_PORT=8000 \
    PYTHONUNBUFFERED=1 OMP_WAIT_POLICY=passive MALLOC_ARENA_MAX=2 LITELLM_LOCAL_MODEL_COST_MAP=True
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["python", "-m", "uvicorn", "caesar.asgi:application", "--host", "0.0.0.0", "--port", "8000"]
