"""The embedded PostgreSQL takes a part of the memory that there is."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from caesar.embedded import sizing

GB = 2**30


@pytest.mark.parametrize(
    ("total", "buffers", "building"),
    [(GB // 2, "64MB", "64MB"), (2 * GB, "256MB", "128MB"), (64 * GB, "512MB", "2048MB")],
)
def test_it_takes_more_where_there_is_more(total, buffers, building):
    settings = sizing.settings_for(total)
    assert settings["shared_buffers"] == buffers
    assert settings["maintenance_work_mem"] == building


@pytest.mark.parametrize(("limit", "expected"), [(str(GB), GB), ("max", None), (str(2**62), None)])
def test_it_keeps_to_what_a_container_may_take(monkeypatch, tmp_path: Path, limit, expected):
    (tmp_path / "memory.max").write_text(f"{limit}\n")
    monkeypatch.setattr(sizing, "LIMITS", (tmp_path / "memory.max", tmp_path / "none"))
    assert sizing.memory() == (expected or psutil.virtual_memory().total)
