"""The order of a start, from an empty folder to the banner, and the one way out."""

from __future__ import annotations

import asyncio
import os
import time
from signal import SIG_IGN, SIGHUP, SIGINT, SIGTERM, getsignal
from typing import TextIO

from caesar.config import Config
from caesar.embedded import home
from caesar.embedded.errors import CannotStart
from caesar.embedded.postgres import Postgres
from caesar.embedded.valkey import Valkey
from caesar.up import children, first_start, preflight
from caesar.up.banner import address, banner
from caesar.up.console import Console
from caesar.up.supervisor import Supervisor


def up(config: Config, stream: TextIO) -> None:
    """Serve until SIGINT, SIGTERM or SIGHUP. Raises CannotStart, with nothing left running, if it cannot."""
    os.umask(0o077)
    preflight.check_home(config.home)
    with home.Lock(config.home / "lock") as lock:
        holder = lock.take(address(config))
        if holder is not None:
            raise CannotStart(
                f"CAESAR already runs in {config.home} (pid {holder.pid}), dashboard at {holder.note}: "
                "open that, or end it with Ctrl-C where it runs."
            )
        preflight.check(config)
        home.folder(config.home / "static")
        console = Console(stream, home.folder(config.home / "logs"))
        try:
            asyncio.run(_Start(config, console).main())
        finally:
            console.close()
            home.drop_sockets(config.home)


class _Start:
    def __init__(self, config: Config, console: Console) -> None:
        self._config = config
        self._console = console
        self._supervisor = Supervisor(console)
        self._asked_to_end = asyncio.Event()

    async def main(self) -> None:
        loop = asyncio.get_running_loop()
        for signal in (SIGINT, SIGTERM, SIGHUP):
            if signal != SIGHUP or getsignal(SIGHUP) != SIG_IGN:  # `nohup make up &` means to outlive the terminal
                loop.add_signal_handler(signal, self._on_signal)
        begun = time.monotonic()
        coming_up = asyncio.create_task(self._bring_up())
        ending = asyncio.create_task(self._asked_to_end.wait())
        try:
            await asyncio.wait({coming_up, ending}, return_when=asyncio.FIRST_COMPLETED)
            if coming_up.done():
                self._console.plain(banner(self._config, coming_up.result()))
                self._console.say(f"ready after {time.monotonic() - begun:.1f} s")
                await ending
        finally:
            ending.cancel()
            coming_up.cancel()
            await asyncio.gather(coming_up, return_exceptions=True)
            await self._supervisor.stop()
            self._console.say("everything has ended")

    def _on_signal(self) -> None:
        if self._asked_to_end.is_set():
            self._supervisor.hurry()
        else:
            self._asked_to_end.set()
            self._console.say("ending (once more kills what does not end by itself)")

    async def _bring_up(self) -> first_start.Prepared:
        config, say = self._config, self._console.say
        if not config.broker_url.get_secret_value():
            await self._supervisor.start(children.valkey(Valkey(config.home)))
        if not config.database_url.get_secret_value():
            await self._start_postgres()
        if await asyncio.to_thread(first_start.pending_migrations):
            say("bringing the tables up to date")
            await self._supervisor.run(children.migrate(config))
        prepared = await asyncio.to_thread(first_start.prepare, config)
        say("starting web, worker and beat")
        await self._supervisor.start(children.web(config), children.worker(config))
        # Not before web answers: on a small machine they would all wait for each other's imports.
        await self._supervisor.start(children.beat(config))
        if config.llm.builtin.model_path is not None:
            await self._supervisor.start(children.llama(config, config.llm.builtin.model_path))
        return prepared

    async def _start_postgres(self) -> None:
        server = Postgres(self._config.home)
        if not server.data.exists():
            self._console.say("making the database")
        await self._supervisor.start(children.postgres(server))
        await asyncio.to_thread(server.bootstrap)
