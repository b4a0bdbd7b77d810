"""`manage.py ingest`: documents into a person's memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from caesar.management.command import Verb, add_whose, whose
from caesar.management.printing import add_json, as_json
from memory.documents import adding
from memory.documents.adding import Added
from memory.documents.formats import TAKEN
from memory.errors import CaesarError
from memory.models import Profile


class Command(Verb):
    help = (
        f"Give documents to be read ({TAKEN}). What they say of the person is proposed with page and quote and waits "
        "for review; their text can be found. A file that was given before is passed over, one that cannot be taken "
        "leaves nothing behind."
    )
    examples = ("ingest cv.pdf", "ingest brief.docx notes.md --space work")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="what to read")
        add_whose(parser)
        parser.add_argument("--space", metavar="NAME", help="the space that they belong to (default: general)")
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        profile = whose(options)
        done = [_add(path, profile, options["space"]) for path in options["files"]]
        if options["json"]:
            self.stdout.write(as_json({"profile": profile.name, "documents": done}))
        else:
            for one in done:
                self.stdout.write(_line(one))
        failed = [one for one in done if one["error"]]
        if failed:
            # Which ones was said above; 1 where some were taken.
            count = f"{len(failed)} of {len(done)} could not be taken."
            raise CommandError(count, returncode=2 if len(failed) == len(done) else 1)


def _add(path: Path, profile: Profile, space: str | None) -> dict[str, Any]:
    try:
        return _told(path, adding.add_file(profile_id=profile.id, path=path, space=space, actor="operator"))
    except CaesarError as error:
        return _refused(path, error.code, str(error))
    except OSError as error:
        return _refused(path, "no_file", f"{error.strerror}.")


def _told(path: Path, added: Added) -> dict[str, Any]:
    document = added.document
    return {
        "file": str(path),
        "id": str(document.id),
        "new": added.new,
        "format": document.format,
        "pages": document.pages,
        "characters": document.characters,
        "error": None,
    }


def _refused(path: Path, code: str, message: str) -> dict[str, Any]:
    return {"file": str(path), "id": None, "new": False, "error": {"code": code, "message": message}}


def _line(one: dict[str, Any]) -> str:
    if one["error"]:
        return f"{one['file']}: {one['error']['message']}"
    if not one["new"]:
        return f"{one['file']}: is there already."
    pages = f"{one['pages']:,} pages, " if one["pages"] else ""
    return f"{one['file']}: {one['format']}, {pages}{one['characters']:,} characters; it is read in the background."
