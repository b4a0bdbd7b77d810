#!/usr/bin/env python3
"""Everything that is run by hand: `python manage.py help` lists the verbs.

Exit code 0, 1 (it did not work: one sentence says why) or 2 (wrong usage).
"""

from __future__ import annotations

import importlib.util
import os
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

    from caesar.config import WrongSetting, config
    from memory.errors import CaesarError

    try:
        config()
        execute_from_command_line(sys.argv)
    except (WrongSetting, CaesarError) as error:
        return _fail(str(error))
    except OperationalError as error:
        if "--traceback" in sys.argv:
            raise
        return _fail(
            f"The database cannot be used: {str(error).strip()}\nIs it up? `make up` starts the embedded one."
        )
    return 0


def _other_python() -> int:
    """Go on with the Python that `make up` installed everything for."""
    if VENV_PYTHON.exists() and Path(sys.prefix) != ROOT / ".venv":
        os.execv(VENV_PYTHON, [str(VENV_PYTHON), *sys.argv])
    return _fail("The requirements are not installed yet: `make up` does that.")


def _fail(sentence: str) -> int:
    sys.stderr.write(sentence + "\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
