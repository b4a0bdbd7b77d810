"""The pictures of the README, made anew: `pytest tests/browser/pictures.py` (into docs/images, or `$PICTURES`)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from memory import spaces
from tests.browser.conftest import NARROW, WIDE
from tests.browser.life import lived
from tests.people import Person

WHERE = Path(os.environ.get("PICTURES", Path(__file__).parents[2] / "docs" / "images"))
MOST_BYTES = 200_000
# Name, page, size, scheme.
PICTURES: list[tuple[str, str, dict[str, int], str]] = [
    ("facts", "/dashboard/facts", WIDE, "light"),
    ("facts-phone", "/dashboard/facts", NARROW, "dark"),
    ("review", "/dashboard/review", WIDE, "light"),
    ("review-phone", "/dashboard/review", NARROW, "dark"),
    ("timeline", "/dashboard/audit", WIDE, "dark"),
    ("workers", "/dashboard/workers", WIDE, "light"),
    ("people", "/dashboard/people", WIDE, "light"),
]


@pytest.mark.parametrize(("name", "path", "size", "scheme"), PICTURES, ids=[each[0] for each in PICTURES])
def test_picture(look: Any, anna: Person, name: str, path: str, size: dict[str, int], scheme: str) -> None:
    lived(anna)
    User.objects.filter(id=anna.user_id).update(is_superuser=True)
    spaces.create_space(profile_id=anna.profile_id, fields={"slug": "work", "name": "Office"})
    page = look(viewport=size, color_scheme=scheme).open(path)
    picture = page.screenshot(path=WHERE / f"{name}.png")
    assert len(picture) < MOST_BYTES
