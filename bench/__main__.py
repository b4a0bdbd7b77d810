"""Runs the measurements and prints tables: `python -m bench [NAME ...]`, all but `million` without a name."""

from __future__ import annotations

import asyncio
import shutil
import sys
import time
from contextlib import ExitStack
from typing import Any

from bench.stack import Stack, megabytes, use_home


def main() -> None:
    wanted = set(sys.argv[1:]) or {"chat", "extraction", "apply", "search", "memory"}
    home = use_home()
    import django

    django.setup()
    try:
        with ExitStack() as stack:
            _run(Stack(home, stack), wanted)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _run(stack: Stack, wanted: set[str]) -> None:
    if "chat" in wanted:
        _chat(stack)
    if "extraction" in wanted:
        _extraction(stack)
    if "apply" in wanted:
        _apply()
    if "search" in wanted or "million" in wanted:
        _search(stack, million="million" in wanted)
    if "memory" in wanted:
        _memory(stack)


def _person(name: str) -> tuple[int, Any, str]:
    from django.contrib.auth.models import User

    from memory import apikeys, profiles

    user = User.objects.create_user(name)
    profile = profiles.resolve(user_id=user.id, name=None, consent=True)
    return user.id, profile.id, apikeys.create(user_id=user.id, name="bench")[1]


def _chat(stack: Stack) -> None:
    from bench import chat

    _, profile_id, key = _person("bench-chat")
    chat.seed_facts(profile_id, 1_000)
    table("Chat rows written, one after another", ["rows/s"], {"one process": [chat.rows_per_second(profile_id)]})
    with stack.model() as model_url, stack.web(model_url) as (url, process):
        seen = asyncio.run(chat.latency(url, model_url, key))
        base = seen["straight to the model"]
        rows = {}
        for name, values in seen.items():
            p50, p99 = chat.p(values, 50), chat.p(values, 99)
            rows[name] = [p50, p99, p50 - chat.p(base, 50), p99 - chat.p(base, 99), p50 / chat.p(base, 50)]
        columns = ["p50 ms", "p99 ms", "added p50", "added p99", "ratio p50"]
        table(f"A chat at {chat.RATE:.0f} a second, model of zero latency", columns, rows)
    with stack.model(interval=1.0) as model_url, stack.web(model_url) as (url, process):
        asyncio.run(chat.streams(url, key, process, 1))
        idle = megabytes(process)
        opened, memory, threads = asyncio.run(chat.streams(url, key, process, 500))
        table(
            "Streams held open at once by one web process",
            ["open", "MB", "threads"],
            {
                "one": [1, idle, process.num_threads()],
                "five hundred": [opened, memory, threads],
            },
        )


def _extraction(stack: Stack) -> None:
    from bench import extraction

    people = [_person(f"bench-extract-{n}")[1] for n in range(20)]
    rows = {}
    for seconds, threads, each in ((0.0, 8, 20), (0.5, 8, 10), (0.5, 96, 60)):
        with stack.model(seconds=seconds) as url:
            rate = extraction.items_per_second(stack, url, threads=threads, profiles=people, chats_each=each)
        rows[f"model of {seconds * 1000:.0f} ms, {threads} threads"] = [
            rate,
            rate / max(rows.values(), default=[rate])[0],
        ]
    table("Chats read for facts by one worker process", ["items/s", "ratio"], rows)


def _apply() -> None:
    from bench import apply

    rows: dict[str, list[float]] = {}
    for facts in (apply.SMALL, 10_000):
        _, profile_id, _ = _person(f"bench-apply-{facts}")
        apply.seed(profile_id, facts)
        for each in (1, 50):
            seen = apply.applied(profile_id, facts_each=each)
            base = rows.get(f"{each} on {apply.SMALL:,} facts", [seen.p50])[0]
            rows[f"{each} on {facts:,} facts"] = [seen.p50, seen.p95, seen.p50 / base, seen.queries]
    table("Results of readings applied", ["p50 ms", "p95 ms", "ratio", "queries"], rows)


def _search(stack: Stack, *, million: bool) -> None:
    from bench import search

    url = stack.postgres.url("superuser")
    rows: dict[str, list[float]] = {}
    built: dict[str, list[float]] = {}
    base = 0.0
    for name, people, each in [
        ("10,000 facts", 1, 10_000),
        ("100,000 facts", 1, 100_000),
        *([("1,000,000 facts of 1,000 people", 1_000, 1_000)] if million else []),
    ]:
        search.empty(url)
        corpus = search.Corpus()
        ids = [_person(f"bench-search-{each}-{n}")[1] for n in range(people)]
        known = search.seed(url, ids, each, corpus)
        seconds = search.index(url)
        count, whole, index = search.sizes(url)
        built[name] = [seconds, whole / count, index / count, whole / 2**20]
        if not base:
            scan = search.scanned(ids[0], known, corpus)
            base = scan.p50
            rows["10,000 facts, one by one"] = [scan.p50, scan.p95, 1.0, 100 * scan.found]
        seen = search.searched(ids[0], known, corpus)
        rows[name] = [seen.p50, seen.p95, base / seen.p50, 100 * seen.found]
    table("Facts by question, its vector given", ["p50 ms", "p95 ms", "times faster", "found %"], rows)
    table("What they take up", ["index s", "bytes a fact", "of it index", "MB"], built)


def _memory(stack: Stack) -> None:
    import httpx
    import psutil

    _, _, key = _person("bench-memory")
    with stack.model() as model_url, stack.web(model_url) as (url, web), stack.worker(model_url, threads=16) as worker:
        command = ["-m", "celery", "-A", "caesar", "beat", "-s", str(stack.home / "beat")]
        with stack.process("beat", command) as beat:
            body = {"messages": [{"role": "user", "content": "I play the viola."}]}
            auth = {"Authorization": f"Bearer {key}"}
            httpx.post(f"{url}/v1/chat", json=body, headers=auth, timeout=60).raise_for_status()
            from workers import tasks

            tasks.tick.apply_async()
            time.sleep(8)
            servers = {
                p.name(): p for p in psutil.process_iter(["cmdline"]) if str(stack.home) in " ".join(p.cmdline())
            }
            rows = {"web": [megabytes(web)], "worker (16 threads)": [megabytes(worker)], "beat": [megabytes(beat)]}
            rows |= {name: [megabytes(p)] for name, p in servers.items() if name in ("postgres", "valkey-server")}
            rows["together"] = [sum(value for (value,) in rows.values())]
            table("Memory after one chat and one reading", ["MB"], rows)


def table(title: str, columns: list[str], rows: dict[str, list[float]]) -> None:
    width = max(len(name) for name in rows)
    print(f"\n{title}\n{' ' * width}  " + "  ".join(f"{c:>10}" for c in columns))
    for name, values in rows.items():
        print(f"{name:<{width}}  " + "  ".join(f"{v:>10,.2f}" for v in values), flush=True)


if __name__ == "__main__":
    main()
