"""Requests that schemathesis makes up from the schema, sent to the real server: nothing is ever a failure of ours."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error

from tests.caesar.api.test_fuzz import schema
from tests.people import person
from tests.server import Web

# Which answer for whether others are there, and for what it takes to find out.
NOT_OURS = {"/readyz"}
EACH = 12  # requests made up for each route and method


@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("model")
def test_no_request_is_answered_with_a_failure_of_ours(web: Web) -> None:
    anna = person("anna")
    loaded = schemathesis.openapi.from_dict(schema())
    loaded.config.base_url = web.url
    seen: set[tuple[str, str]] = set()
    for found in loaded.get_all_operations():
        operation: Any = found.ok()
        if operation.path in NOT_OURS:
            continue

        @settings(max_examples=EACH, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def play(case: Any) -> None:
            case.call_and_validate(base_url=web.url, headers=anna.auth, checks=[not_a_server_error], timeout=30)

        play()
        seen.add((operation.method, operation.path))
    assert len(seen) > 40
