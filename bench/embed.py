"""How quick the embedders in the box are, and what they take up; each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

from bench.chat import p
from bench.corpus import Corpus
from bench.stack import ROOT, Stack, reserved
from bench.tables import table

QUERIES, DOCUMENTS = 200, 400
QUERY_WORDS, DOCUMENT_WORDS = 9, 30
COLUMNS = ["load s", "query p50", "query p95", "query cpu", "texts/s", "MB added"]


def run(stack: Stack) -> None:
    """`local` (sentence-transformers) and `onnx`."""
    rows = {}
    for provider in ("local", "onnx"):
        command = [sys.executable, "-m", "bench.embed", provider]
        env = os.environ | {"CAESAR_SEMANTIC__PROVIDER": provider, "OMP_WAIT_POLICY": "passive"}
        done = subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True, check=True)
        rows[provider] = json.loads(done.stdout.splitlines()[-1])
    table("Embedding: milliseconds of a question, texts a second", COLUMNS, rows)


def measure() -> list[float]:
    """With the embedder that the environment names."""
    import django

    django.setup()
    from memory.llm import embedding

    before = reserved()
    started = time.perf_counter()
    embedder = embedding.embedder()
    embedder.load()
    embedder.query("What is the dog called?", budget_seconds=60)
    loaded = time.perf_counter() - started
    texts = [text.words for text in Corpus().texts(QUERIES + DOCUMENTS, words=DOCUMENT_WORDS)]
    taken, computing = [], []
    for text in texts[:QUERIES]:
        question = " ".join(text.split()[:QUERY_WORDS])
        started, worked = time.perf_counter(), time.process_time()
        assert embedder.query(question, budget_seconds=60) is not None
        taken.append(1000 * (time.perf_counter() - started))
        computing.append(1000 * (time.process_time() - worked))
    started = time.perf_counter()
    embedder.documents(texts[QUERIES:])
    rate = DOCUMENTS / (time.perf_counter() - started)
    return [loaded, p(taken, 50), p(taken, 95), p(computing, 50), rate, reserved() - before]


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "caesar.settings")
    print(json.dumps(measure()))
