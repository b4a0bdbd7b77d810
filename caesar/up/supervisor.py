"""Keeps children running: starts them in order, restarts what dies, ends all of them in reverse order."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from signal import Signals

from caesar.embedded.errors import CannotStart
from caesar.up.child import Child, Spec
from caesar.up.console import Console


@dataclass(frozen=True)
class Patience:
    """How often and how soon. `tries`: starts of a child that was never ready, before all is given up."""

    first_delay: float = 1.0
    longest_delay: float = 30.0
    calm_after: float = 60.0
    tries: int = 4
    ready_within: float = 90.0


@dataclass
class _Kept:
    child: Child
    been_ready: bool = False
    ends: int = 0
    task: asyncio.Task[None] = field(init=False)


class Supervisor:
    """All methods belong to one event loop, in a thread that lives as long as the process (see `leash`)."""

    def __init__(self, console: Console, patience: Patience | None = None) -> None:
        self._console = console
        self._patience = patience or Patience()
        self._tiers: list[list[_Kept]] = []
        self._stopping = asyncio.Event()
        self._hurry = asyncio.Event()

    def pids(self) -> dict[str, int]:
        """The running children."""
        return {k.child.spec.name: k.child.pid for tier in self._tiers for k in tier if k.child.pid is not None}

    async def start(self, *specs: Spec) -> None:
        """Start these together and return when all are ready. Raises CannotStart if one does not come up.

        They end together too, before what was started earlier.
        """
        tier = [_Kept(Child(spec, self._console)) for spec in specs]
        self._tiers.append(tier)
        for kept in tier:
            kept.task = asyncio.create_task(self._keep(kept))
        await asyncio.gather(*(self._until_ready(kept) for kept in tier))

    async def run(self, spec: Spec) -> None:
        """Run a command to its end. Raises CannotStart if it fails."""
        child = Child(spec, self._console)
        await child.start()
        waiting = asyncio.create_task(child.wait())
        try:
            code = await asyncio.shield(waiting)
        except asyncio.CancelledError:
            child.ask()
            await asyncio.wait({waiting}, timeout=spec.grace)
            child.kill()
            await waiting
            raise
        if code != 0:
            raise CannotStart(f"{spec.name} failed ({ending(code)}): {child.last_words}{self._more(spec)}")

    async def stop(self) -> None:
        """End all children, the last started first; whatever does not end in its grace is killed."""
        self._stopping.set()
        for tier in reversed(self._tiers):
            await asyncio.gather(*(self._end(kept) for kept in tier))

    def hurry(self) -> None:
        """Kill now what is still being waited for."""
        self._hurry.set()

    async def _keep(self, kept: _Kept) -> None:
        delay = self._patience.first_delay
        loop = asyncio.get_running_loop()
        while not self._stopping.is_set():
            begun = loop.time()
            how = await self._run_once(kept.child)
            kept.ends += 1
            if self._stopping.is_set() or (not kept.been_ready and kept.ends >= self._patience.tries):
                return
            if loop.time() - begun > self._patience.calm_after:
                delay = self._patience.first_delay
            self._mend(kept.child)
            self._console.say(f"{kept.child.spec.name} ended ({how}); starting it again in {delay:g} s")
            await _either(self._stopping, delay)
            delay = min(delay * 2, self._patience.longest_delay)

    async def _run_once(self, child: Child) -> str:
        """Start it and wait until it ends; how it ended."""
        try:
            if child.spec.before is not None:
                await asyncio.to_thread(child.spec.before)
            if self._stopping.is_set():
                return "not started"
            await child.start()
        except (CannotStart, OSError) as error:
            return str(error)
        if self._stopping.is_set():
            child.ask()
        return ending(await child.wait())

    def _mend(self, child: Child) -> None:
        try:
            did = child.spec.mend(child.last_words) if child.spec.mend else None
        except OSError as error:
            did = f"cannot be mended: {error}"
        if did:
            self._console.say(f"{child.spec.name}: {did}")

    async def _until_ready(self, kept: _Kept) -> None:
        spec = kept.child.spec
        deadline = asyncio.get_running_loop().time() + self._patience.ready_within
        while not kept.task.done():
            if kept.child.pid is not None and (spec.ready is None or await asyncio.to_thread(spec.ready)):
                kept.been_ready = True
                return
            if asyncio.get_running_loop().time() > deadline:
                raise CannotStart(f"{spec.name} is not ready after {self._patience.ready_within:g} s{self._more(spec)}")
            await asyncio.sleep(0.03)
        kept.task.result()
        raise CannotStart(f"{spec.name} does not start. Its last words: {kept.child.last_words}{self._more(spec)}")

    async def _end(self, kept: _Kept) -> None:
        kept.child.ask()
        hurry = asyncio.create_task(self._hurry.wait())
        await asyncio.wait({kept.task, hurry}, timeout=kept.child.spec.grace, return_when=asyncio.FIRST_COMPLETED)
        hurry.cancel()
        if not kept.task.done():
            self._console.say(f"{kept.child.spec.name} does not end by itself; killing it")
            kept.child.kill()
        await kept.task

    def _more(self, spec: Spec) -> str:
        path = self._console.log_path(spec.name)
        return f" (all of it: {path})" if path else ""


def ending(code: int) -> str:
    """An exit code in words."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


async def _either(event: asyncio.Event, seconds: float) -> None:
    """Until the event is set or the time is over."""
    waiting = asyncio.create_task(event.wait())
    await asyncio.wait({waiting}, timeout=seconds)
    waiting.cancel()
