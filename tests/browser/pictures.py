"""The pictures of the documentation, taken anew by `make pictures` (into docs/images, or `$PICTURES`)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from memory import spaces
from tests.browser.conftest import NARROW, WIDE
from tests.browser.life import lived
from tests.memory.documents import made
from tests.memory.portable import archives
from tests.people import Person
from workers import tasks

WHERE = Path(os.environ.get("PICTURES", Path(__file__).parents[2] / "docs" / "images"))
MOST_BYTES = 200_000
# Name, page, size, scheme.
PICTURES: list[tuple[str, str, dict[str, int], str]] = [
    ("facts", "/dashboard/facts", WIDE, "light"),
    ("facts-phone", "/dashboard/facts", NARROW, "dark"),
    ("review", "/dashboard/review", WIDE, "light"),
    ("review-phone", "/dashboard/review", NARROW, "dark"),
    ("episodes", "/dashboard/episodes", WIDE, "dark"),
    ("timeline", "/dashboard/audit", WIDE, "dark"),
    ("workers", "/dashboard/workers", WIDE, "light"),
    ("people", "/dashboard/people", WIDE, "light"),
]


def prepared(anna: Person) -> None:
    lived(anna)
    User.objects.filter(id=anna.user_id).update(is_superuser=True)
    spaces.create_space(profile_id=anna.profile_id, fields={"slug": "work", "name": "Office"})


def kept(page: Any, name: str) -> None:
    assert len(page.screenshot(path=WHERE / f"{name}.png")) < MOST_BYTES


@pytest.mark.parametrize(("name", "path", "size", "scheme"), PICTURES, ids=[each[0] for each in PICTURES])
def test_picture(look: Any, anna: Person, name: str, path: str, size: dict[str, int], scheme: str) -> None:
    prepared(anna)
    kept(look(viewport=size, color_scheme=scheme).open(path), name)


def test_picture_of_a_chat(look: Any, anna: Person, model: Any) -> None:
    prepared(anna)
    model.reply("On the 14th. Somebody has to be at home for Beans that day.")
    page = look().open("/dashboard/chat")
    page.get_by_label("Message").fill("When does the heat pump come, and who looks after Beans?")
    page.get_by_role("button", name="Send").click()
    page.locator(".chip summary").first.click()
    kept(page, "chat")


def test_picture_of_a_document(look: Any, anna: Person) -> None:
    page = look().open("/dashboard/documents")
    page.get_by_label("Give documents to be read").set_input_files(
        {"name": "cv.pdf", "mimeType": "application/pdf", "buffer": made.pdf(*made.CV)}
    )
    page.get_by_role("button", name="Read", exact=True).click()
    page.locator("#progress").wait_for()
    tasks.drain()
    page.locator("li.proposal").first.wait_for()
    kept(page, "documents")


def test_picture_of_an_import(look: Any, anna: Person) -> None:
    said = [archives.thread(f"talk-{n}", "I like fog, and I work as a harbour pilot.", "Noted.") for n in range(12)]
    page = look().open("/dashboard/settings/import")
    page.locator("input[type=file]").set_input_files(
        {"name": "conversations.json", "mimeType": "application/json", "buffer": archives.chatgpt(*said)}
    )
    page.locator("main form button").last.click()
    page.get_by_role("heading", name="What would be imported").wait_for()
    kept(page, "import")


def test_picture_of_what_it_would_know(look: Any, anna: Person) -> None:
    prepared(anna)
    page = look(viewport=NARROW, color_scheme="dark").open("/dashboard/context")
    page.get_by_label("Message").fill("When does the heat pump come?")
    page.get_by_role("button", name="Look").click()
    page.locator(".recalled").first.wait_for()
    kept(page, "preview-phone")
