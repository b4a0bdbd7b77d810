"""However large a file is, no more of it is held at once than a batch."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from memory.portable import exporting, importing
from tests.memory.portable import archives
from tests.memory.portable.acts import load
from tests.people import person

TEXT = "A day in the park, with rain and a dog that will not come. " * 30


def held(act) -> int:
    """The most bytes that were held at once meanwhile."""
    gc.collect()
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def archive(threads: int) -> bytes:
    return archives.chatgpt(*(archives.thread(f"t{n}", *([f"{n} {TEXT}"] * 10)) for n in range(threads)))


@pytest.mark.timeout(300)
def test_an_archive_of_four_times_the_size_takes_no_more(database, tmp_path):
    small, large = person("small"), person("large")
    load(small, archive(4), tmp_path)  # what is loaded once
    for threads in (60, 240):
        (tmp_path / f"{threads}").write_bytes(archive(threads))
    sizes = {}
    for who, threads in ((small, 60), (large, 240)):
        path = tmp_path / f"{threads}"
        sizes[threads] = held(lambda path=path, who=who: importing.run(profile_id=who.profile_id, path=path))
    assert sizes[240] < sizes[60] * 1.5 + 1_000_000
    exported = {who: held(lambda who=who: _export_to(tmp_path / "out", who)) for who in (small, large)}
    assert (tmp_path / "out").stat().st_size > 4_000_000
    assert exported[large] < exported[small] * 1.5 + 1_000_000


def _export_to(path, who) -> None:
    exporting.to_file(profile_id=who.profile_id, form=exporting.Form.JSONL, path=path, actor="person")
