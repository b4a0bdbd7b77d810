#!/usr/bin/env python3
"""Everything that is run by hand: `python3 manage.py help` lists the verbs.

Exit code 0, 1 (it did not work: one sentence says why) or 2 (wrong usage).
"""

from __future__ import annotations

import errno
import importlib
import importlib.util
import io
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV_PYTHON = ROOT / ".venv" / "bin" / "python"


def main() -> int:
    if importlib.util.find_spec("django") is None:
        return _other_python()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "caesar.settings")

    from django.core.management import execute_from_command_line
    from django.db.utils import OperationalError

    _open_streams()
    try:
        importlib.import_module("caesar.settings")
        try:
            execute_from_command_line(sys.argv)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:  # `| head` has what it wanted
        return _stop_writing()
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        return _stop_writing(_fail("There is no space left on the device: make room."))
    except KeyboardInterrupt:
        return _fail("Broken off.")
    except OperationalError as error:
        if "--traceback" in sys.argv:
            raise
        return _fail(f"The database cannot be used: {str(error).strip()}\nIs it up? `make up` starts the embedded one.")
    except Exception as error:
        if _is_a_sentence(error) and "--traceback" not in sys.argv:
            return _fail(str(error), 2 if "InvalidInput" in _names(error) else 1)
        raise
    return 0


def _open_streams() -> None:
    """What is closed swallows what is said. A letter that the terminal does not know is escaped, not an error."""
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _stop_writing(code: int = 1) -> int:
    """Nobody takes what is left to be written, so the end of the process must not try."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _is_a_sentence(error: Exception) -> bool:
    """Whether it was raised for a person to read."""
    return bool(_names(error) & {"CaesarError", "WrongSetting", "ImproperlyConfigured"})


def _names(error: Exception) -> set[str]:
    """What kinds of error it is. By name: what failed may be the import of those very errors."""
    return {kind.__name__ for kind in type(error).__mro__}


def _other_python() -> int:
    """Go on with the Python that `make up` installed everything for."""
    if VENV_PYTHON.exists() and Path(sys.prefix) != ROOT / ".venv":
        os.execv(VENV_PYTHON, [str(VENV_PYTHON), *sys.argv])
    return _fail("The requirements are not installed yet: `make up` does that.")


def _fail(sentence: str, code: int = 1) -> int:
    # What steers a terminal may stand in what a server or a file said.
    sys.stderr.write(re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", lambda found: repr(found[0])[1:-1], sentence) + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
