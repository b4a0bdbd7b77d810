"""What becomes of the facts of a space that is removed."""

from __future__ import annotations

import pytest

from memory import facts, spaces
from memory.db import profile_scope
from memory.models import Fact
from tests.memory.saying import last_event, tell, values
from tests.people import person

pytestmark = pytest.mark.usefixtures("database")


def test_what_waits_everywhere_already_is_asked_once():
    anna = person("anna")
    space = spaces.create_space(profile_id=anna.profile_id, fields={"slug": "work"})
    doubtful = {"current": False, "reasons": ("low_confidence",)}
    first = tell(anna, "address.city", "Linz", space_id=space.id, **doubtful)
    tell(anna, "address.city", "Linz", **doubtful)
    facts.author(profile_id=anna.profile_id, fields={"key": "address.city", "value": "Wels"})
    assert values(anna, "pending") == ["Linz", "Linz"]
    went = spaces.remove_space(profile_id=anna.profile_id, slug="work", facts_to="keep")
    assert went == {"kept": 1}
    assert values(anna, "pending") == ["Linz"]
    with profile_scope(anna.profile_id):
        (waiting,) = Fact.objects.filter(state="pending")
    assert first is not None
    assert (waiting.id, waiting.space_id) == (first.id, None)
    assert last_event(anna)[1]["did"] == "removed"
