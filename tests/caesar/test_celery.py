"""What runs when, and in which process."""

from __future__ import annotations

import os
import subprocess
import sys

from caesar.celery import app
from caesar.config import ROOT

SCHEDULER = """
import sys
from caesar.celery import app
app.loader.init_worker()
app.finalize()
heavy = {"django.db", "numpy", "memory.models", "workers.tasks"} & set(sys.modules)
assert not heavy, heavy
assert app.conf.beat_schedule["tick"]["task"] == "caesar.tick"
"""


def test_everything_on_the_schedule_is_a_task_and_sent_to_its_own_queue():
    app.loader.import_default_modules()
    for entry in app.conf.beat_schedule.values():
        assert app.tasks[entry["task"]].queue == entry["options"]["queue"], entry


def test_the_scheduler_loads_neither_django_nor_the_tasks():
    env = os.environ | {"CAESAR_PROCESS": "beat"}
    subprocess.run([sys.executable, "-c", SCHEDULER], cwd=ROOT, env=env, check=True)
