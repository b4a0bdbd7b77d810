"""The scripted model as a process: `python -m tests.scripted_model --port 9000 --reply-file script.json`.

Prints its base URL on the first line. The reply file and `POST /__script` take the same JSON
(see `Server.load`).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
from pathlib import Path

import uvloop

from tests.scripted_model.server import Server


async def serve(*, port: int, reply_file: Path | None, record_limit: int) -> None:
    server = Server(record_limit=record_limit, control=True)
    if reply_file is not None:
        server.load(json.loads(reply_file.read_text()))
    await server.start(port)
    print(server.url, flush=True)
    ending = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ending.set)
    await ending.wait()
    await server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.scripted_model", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--reply-file", type=Path, help="JSON as POST /__script takes it")
    parser.add_argument("--record-limit", type=int, default=2_000, help="how many requests are kept to read")
    given = parser.parse_args()
    uvloop.run(serve(port=given.port, reply_file=given.reply_file, record_limit=given.record_limit))


if __name__ == "__main__":
    main()
