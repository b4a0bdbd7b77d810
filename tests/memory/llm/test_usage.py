"""Token counts of several calls in one."""

from __future__ import annotations

from memory.llm.usage import Usage, added


def test_counts_add_up_and_what_was_not_said_is_not_counted() -> None:
    assert Usage(1, 2, 3) + Usage(10, 20, 30) == Usage(11, 22, 33)
    assert Usage() + Usage(1, None, 1) == Usage(1, None, 1)
    assert Usage(1, 2, 3) + Usage() == Usage(1, 2, 3)


def test_a_providers_own_counts_add_up_group_by_group() -> None:
    one = {"prompt_tokens": 1, "prompt_tokens_details": {"cached_tokens": 3}, "tier": "a", "gone": None, "flag": True}
    two = {"prompt_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4, "audio": 1}, "tier": None, "cost": 0.5}
    assert added(one, two) == {
        "prompt_tokens": 3,
        "prompt_tokens_details": {"cached_tokens": 7, "audio": 1},
        "tier": "a",
        "gone": None,
        "flag": True,
        "cost": 0.5,
    }
    assert added({}, one) == {k: v for k, v in one.items() if v is not None}
