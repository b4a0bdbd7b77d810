"""manage.py status."""

from memory import cursor, workers
from memory.models import WorkKind
from memory.version import VERSION
from tests.caesar.commands.conftest import run, shell
from tests.dashboard.conftest import Visitor
from tests.dashboard.test_audit import tell
from tests.people import person
from tests.processes import eventually, worker


def test_it_shows_what_is_there_and_where_the_work_stands(operator, broker):
    anna = Visitor(person("anna"))
    tell(anna, "I like tea.")
    cursor.tick(WorkKind.EXTRACT)
    tell(anna, "I like rice.")
    nobody = run("status")
    assert nobody.code == 1
    assert "workers     NOT OK  No worker answers" in nobody.out
    assert "`make up` runs one; alone: `celery -A caesar worker -Q " in nobody.out
    assert "extract: 1 waiting" in nobody.out
    assert "extract: chats that it has not come to yet: 1" in nobody.out
    assert "No model is configured" in nobody.out
    assert nobody.out.endswith("\nNot ready: workers.\n")
    with worker({}, queues="maintenance") as running:
        eventually(workers.listed)
        ready = run("status", "--json")
        words = run("status").out
    assert ready.code == 0
    assert ready.json["status"] == "degraded"
    (seen,) = ready.json["workers"]
    assert (seen["queues"], seen["version"], seen["problem"]) == (["maintenance"], VERSION, "")
    assert "nobody takes extract, summarise, embed" in ready.json["checks"]["workers"]["detail"]
    assert workers.listed() == [], running.said()
    assert ready.json["work"]["extract"]["waiting"] == 1
    assert f" ({VERSION}) takes maintenance; seen " in words
    assert words.endswith("\nReady.\n")


def test_a_shell_gets_a_sentence_without_a_database(tmp_path):
    ran = shell("status", CAESAR_DATABASE_URL="postgresql://u:hunter2@127.0.0.1:1/x", CAESAR_HOME=str(tmp_path))
    assert ran.code == 1
    assert "database    NOT OK  The database does not answer." in ran.out
    assert "hunter2" not in ran.out + ran.err
    assert "Traceback" not in ran.err
