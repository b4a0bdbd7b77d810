"""Brings a backup into an installation: all of it in one transaction, or nothing.

The tables come as they were. What belongs to the old cluster is set anew: every row of the log is of the transaction
that restores it, and each cursor stands before them all, so that what waited to be read is read and nothing twice.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from caesar.backup import archive
from caesar.backup.archive import Manifest
from caesar.backup.errors import BackupFailed
from caesar.backup.server import Server, reached
from caesar.config import Config

# Roles that own functions. For the time of the restore they may make some, and the owner acts as them.
FUNCTION_OWNERS = ("caesar_redactor", "caesar_search")
# Extensions stay: only a superuser could make them anew.
BEFORE = """
SET client_min_messages = warning;
DO $$ DECLARE gone text; BEGIN
  FOR gone IN SELECT c.oid::regclass FROM pg_class c
               WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
                 AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') LOOP
    EXECUTE 'DROP TABLE ' || gone || ' CASCADE';
  END LOOP;
  FOR gone IN SELECT p.oid::regprocedure FROM pg_proc p
               WHERE p.pronamespace = 'public'::regnamespace
                 AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e') LOOP
    EXECUTE 'DROP ROUTINE ' || gone || ' CASCADE';
  END LOOP;
  -- Tables come with their own grants, and with those for new ones at the end.
  FOR gone IN SELECT DISTINCT format('%s FROM %s', CASE d.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES'
                                                   ELSE 'FUNCTIONS' END, a.grantee::regrole)
                FROM pg_default_acl d, aclexplode(d.defaclacl) a
               WHERE d.defaclnamespace = 'public'::regnamespace AND d.defaclrole = current_user::regrole
                 AND a.grantee <> 0 LOOP
    EXECUTE 'ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON ' || gone;
  END LOOP;
END $$;
"""
LENT = "GRANT {0} TO CURRENT_USER WITH INHERIT TRUE; GRANT CREATE ON SCHEMA public TO {0};\n"
TAKEN_BACK = "GRANT {0} TO CURRENT_USER WITH INHERIT FALSE; REVOKE CREATE ON SCHEMA public FROM {0};\n"
# There are no triggers and policies yet: they come after the data.
ANEW = """
UPDATE public.audit_log SET xid = pg_current_xact_id();
UPDATE public.memory_cursor SET xid = '0', audit_id = 0;
DELETE FROM public.model_pauses;
"""
COUNT = """
DO $$ BEGIN
  IF (SELECT count(*) FROM public.{table}) <> {rows} THEN
    RAISE EXCEPTION 'the backup does not hold all rows of {table}';
  END IF;
END $$;
"""


def restore(config: Config, path: Path, *, force: bool = False) -> Manifest:
    """Put what a backup holds in the place of what is there. Nothing else of the installation may run meanwhile.

    Raises BackupFailed, with all as it was: also where there is something already, unless `force`.
    """
    with tempfile.TemporaryDirectory(prefix="caesar-restore-") as folder:
        unpacked = Path(folder)
        manifest = archive.unpack(path, unpacked)
        _check_release(path, manifest)
        with reached(config, alone=True) as server:
            if not force and (found := _people(server)):
                raise BackupFailed(
                    f"There is something already ({found} profiles). --force puts the backup in its place: "
                    "what is there now would be gone."
                )
            connection.close()
            call_command("migrate", interactive=False, verbosity=0)  # makes the roles, in a new cluster
            connection.close()
            _replace(server, manifest, unpacked / archive.DUMP)
            call_command("migrate", interactive=False, verbosity=0)
            connection.close()
            _analyze(server)
        _bring_files(unpacked / archive.PEOPLE, config.home / "people")
    return manifest


def _check_release(path: Path, manifest: Manifest) -> None:
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    if ahead := sorted(set(manifest.migrations) - known):
        raise BackupFailed(f"{path} was made by a newer release ({manifest.release}; it has {ahead[0]}): update first.")


def _people(server: Server) -> int:
    """How many profiles there are; a database without tables has none."""
    with server.connect() as link:
        there = link.execute("SELECT to_regclass('public.profiles') IS NOT NULL").fetchone()
        if not there or not there[0]:
            return 0
        link.execute("SET LOCAL ROLE caesar_operator")
        row = link.execute("SELECT count(*) FROM profiles").fetchone()
        return int(str(row[0])) if row else 0


def _replace(server: Server, manifest: Manifest, dump: Path) -> None:
    command = [server.program("psql"), "--no-psqlrc", "--quiet", "--single-transaction", "--output=/dev/null"]
    psql = subprocess.Popen(
        [*command, "--set=ON_ERROR_STOP=1"],
        env=dict(server.environment),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=False,
    )
    assert psql.stdin is not None
    assert psql.stderr is not None
    broken = False
    try:
        for piece in _script(server, manifest, dump):
            psql.stdin.write(piece)
        psql.stdin.close()
    except BrokenPipeError:  # it has ended, and its last words say why
        broken = True
    except BaseException:
        psql.kill()  # the transaction never happened
        psql.wait()
        raise
    said = " ".join(psql.stderr.read().decode(errors="replace").split())
    psql.stderr.close()
    if psql.wait() != 0 or broken:
        raise BackupFailed(f"The backup could not be restored, and all is as it was: {said[-700:]}")


def _script(server: Server, manifest: Manifest, dump: Path) -> Iterator[bytes]:
    for role in FUNCTION_OWNERS:
        yield LENT.format(role).encode()
    yield BEFORE.encode()
    yield _statements(server, manifest, dump, "pre-data")
    yield from _read(server, dump, "data")
    yield ANEW.encode()
    for table, rows in manifest.rows.items():
        count = 0 if table == "model_pauses" else rows
        yield COUNT.format(table=table, rows=count).encode()
    yield _statements(server, manifest, dump, "post-data")
    for role in FUNCTION_OWNERS:
        yield TAKEN_BACK.format(role).encode()


def _statements(server: Server, manifest: Manifest, dump: Path, section: str) -> bytes:
    """Definitions, with what belonged to the old owner given to the new one."""
    text = b"".join(_read(server, dump, section)).decode()
    text = re.sub(r"^(CREATE|ALTER) SCHEMA public\b.*;$", "", text, flags=re.MULTILINE)
    owner = f'"?{re.escape(manifest.owner)}"?'
    text = re.sub(rf"\b(OWNER TO|FOR ROLE|TO|FROM) {owner}(?=[ ;])", r"\1 CURRENT_USER", text)
    return text.encode()


def _read(server: Server, dump: Path, section: str) -> Iterator[bytes]:
    command = [server.program("pg_restore"), f"--section={section}", "--no-comments", "--file=-", str(dump)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as reading:
        assert reading.stdout is not None
        while piece := reading.stdout.read(1 << 16):
            yield piece
    if reading.returncode != 0:
        raise BackupFailed("The backup cannot be read: pg_restore refuses its database.dump.")


def _analyze(server: Server) -> None:
    """Statistics, so that the first questions are answered by the right plans."""
    with server.connect() as link:
        link.autocommit = True
        link.execute("ANALYZE")


def _bring_files(found: Path, people: Path) -> None:
    if found.is_dir():
        shutil.rmtree(people, ignore_errors=True)
        shutil.copytree(found, people)
