"""What memory costs a chat: latency at a steady rate, streams held open, rows written."""

from __future__ import annotations

import asyncio
import statistics
import time
import uuid
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import psutil

from bench.footprint import family, megabytes
from bench.stack import Stack, person
from bench.tables import table

RATE = 20.0
SECONDS = 20.0


def run(stack: Stack) -> None:
    """Latency added, streams held open, rows written."""
    _, profile_id, key = person("bench-chat")
    seed_facts(profile_id, 1_000)
    table("Chat rows written, one after another", ["rows/s"], {"one process": [rows_per_second(profile_id)]})
    with stack.model() as model_url, stack.web(model_url) as (url, process):
        seen = asyncio.run(latency(url, model_url, key))
        base = seen["straight to the model"]
        rows = {}
        for name, values in seen.items():
            p50, p99 = p(values, 50), p(values, 99)
            rows[name] = [p50, p99, p50 - p(base, 50), p99 - p(base, 99), p50 / p(base, 50)]
        columns = ["p50 ms", "p99 ms", "added p50", "added p99", "ratio p50"]
        table(f"A chat at {RATE:.0f} a second, model of zero latency", columns, rows)
    with stack.model(interval=1.0) as model_url, stack.web(model_url) as (url, process):
        asyncio.run(streams(url, key, process, 1))
        idle = _megabytes(process)
        opened, memory, threads = asyncio.run(streams(url, key, process, 500))
        table(
            "Streams held open at once by one web process",
            ["open", "MB", "threads"],
            {
                "one": [1, idle, process.num_threads()],
                "five hundred": [opened, memory, threads],
            },
        )


def seed_facts(profile_id: uuid.UUID, count: int) -> None:
    """So many current facts of one profile."""
    from memory.db import profile_scope
    from memory.models import Fact
    from memory.models.fields import new_id

    now = datetime.now(UTC)
    with profile_scope(profile_id):
        Fact.objects.bulk_create(
            Fact(
                id=new_id(),
                profile_id=profile_id,
                key=f"topic{n // 10}.detail{n}",
                value=f"the detail number {n} of topic {n // 10}",
                value_norm=f"the detail number {n} of topic {n // 10}",
                state="current",
                confidence=0.5 + (n % 50) / 100,
                said_at=now,
                first_seen_at=now,
                last_confirmed_at=now,
            )
            for n in range(count)
        )


def body(n: int, **extra: Any) -> dict[str, Any]:
    return {
        "model": "scripted",
        "messages": [{"role": "user", "content": f"Tell me something about detail {n}."}],
        **extra,
    }


async def open_loop(
    send: Callable[[int], Awaitable[None]], *, rate: float = RATE, seconds: float = SECONDS
) -> list[float]:
    """Latencies in ms of requests that start at a steady rate, whether or not earlier ones have ended."""
    latencies: list[float] = []

    async def one(n: int) -> None:
        started = time.perf_counter()
        await send(n)
        latencies.append((time.perf_counter() - started) * 1000)

    tasks = []
    begin = time.perf_counter()
    for n in range(int(rate * seconds)):
        await asyncio.sleep(max(0.0, begin + n / rate - time.perf_counter()))
        tasks.append(asyncio.create_task(one(n)))
    await asyncio.gather(*tasks)
    return latencies


def p(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


async def latency(url: str, model_url: str, key: str) -> dict[str, list[float]]:
    """Open-loop latencies: straight to the model, through us with memory off, through us with memory on."""
    auth = {"Authorization": f"Bearer {key}"}
    limits = httpx.Limits(max_connections=200, max_keepalive_connections=200)
    async with httpx.AsyncClient(timeout=60, limits=limits) as http:

        def to(target: str, **extra: Any) -> Callable[[int], Awaitable[None]]:
            async def send(n: int) -> None:
                (await http.post(f"{target}/chat/completions", json=body(n, **extra), headers=auth)).raise_for_status()

            return send

        ways = {
            "straight to the model": to(model_url),
            "memory off": to(f"{url}/v1", caesar={"memory": "off"}),
            "memory on, 1,000 facts": to(f"{url}/v1"),
        }
        for send in ways.values():
            await open_loop(send, seconds=2)
        return {name: await open_loop(send) for name, send in ways.items()}


async def streams(url: str, key: str, process: psutil.Process, count: int) -> tuple[int, float, int]:
    """Hold so many streams open at once. Gives how many were, the web process's memory in MB and its threads."""
    auth = {"Authorization": f"Bearer {key}"}
    opened = 0
    release = asyncio.Event()
    limits = httpx.Limits(max_connections=count + 10)
    async with httpx.AsyncClient(timeout=120, limits=limits) as http:

        async def hold(n: int) -> None:
            nonlocal opened
            async with http.stream(
                "POST", f"{url}/v1/chat/completions", json=body(n, stream=True), headers=auth
            ) as answer:
                async for _ in answer.aiter_lines():
                    opened += 1
                    await release.wait()
                    return

        tasks = [asyncio.create_task(hold(n)) for n in range(count)]
        end = time.monotonic() + 60
        while opened < count and time.monotonic() < end:
            await asyncio.sleep(0.1)
        seen = opened, _megabytes(process), process.num_threads()
        release.set()
        await asyncio.gather(*tasks, return_exceptions=True)
    return seen


def rows_per_second(profile_id: uuid.UUID, count: int = 300) -> float:
    """Chat rows that one process writes one after another, the reading of memory before each included."""
    from memory import chats

    started = time.perf_counter()
    for n in range(count):
        turn = chats.begin(profile_id=profile_id, messages=body(n)["messages"])
        chats.finish(turn, chats.Answer(text="Noted.", model="scripted"))
    return count / (time.perf_counter() - started)


def _megabytes(process: psutil.Process) -> float:
    return megabytes({"web": family(process)})["web"]
