"""manage.py, loaded once: every `python3 manage.py …` of the documentation is a fork of it, which saves seconds each.

`python -m tests.docs.zygote SOCKET`. A client (programs/python) sends its arguments, folder and environment as JSON,
and its standard input, output and error as descriptors; it gets the exit code as one byte.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import traceback

LONGEST = 1 << 20


def serve(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            client, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                _child(client)
            client.close()


def _child(client: socket.socket) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    sent, descriptors, _, _ = socket.recv_fds(client, LONGEST, 3)
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
    sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
    told = json.loads(sent)
    os.chdir(told["folder"])
    os.environ.clear()
    os.environ.update(told["environment"])
    code = _run(told["arguments"])
    sys.stdout.flush()
    sys.stderr.flush()
    client.sendall(bytes([code]))
    os._exit(code)


def _run(arguments: list[str]) -> int:
    import manage

    sys.argv = arguments
    try:
        return manage.main()
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1


if __name__ == "__main__":
    import django

    django.setup()
    from django.core.management import get_commands, load_command_class

    for verb, where in get_commands().items():
        if where == "caesar":
            load_command_class(where, verb)
    serve(sys.argv[1])
