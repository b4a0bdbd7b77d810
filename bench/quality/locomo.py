"""LoCoMo (Maharana et al., 2024): long conversations of two friends. CC BY-NC 4.0, to be had from its authors."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bench.quality.histories import History, Learned, Query, Turn, leaves, read

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
FOLDER = "locomo"
LEFT_OUT = frozenset({"adversarial"})  # of the main figure: nothing answers them
_BETWEEN = timedelta(seconds=20)
_ID = re.compile(r"D:?(\d+):0*(\d+)")


def load(folder: Path) -> list[History]:
    """`locomo/locomo10.json`, and the corrections of `locomo_audit/errors.json` where they lie beside it."""
    audit = folder / "locomo_audit" / "errors.json"
    corrections = {one["question_id"]: one["correct_evidence"] for one in read(audit)} if audit.exists() else {}
    samples = read(folder / "locomo" / "locomo10.json")
    return [_history(number, sample, corrections) for number, sample in enumerate(samples)]


def _history(number: int, sample: Mapping[str, Any], corrections: Mapping[str, list[str]]) -> History:
    turns = tuple(_turns(sample["conversation"]))
    known = {turn.id for turn in turns}
    queries = []
    for place, asked in enumerate(sample["qa"]):
        evidence = _ids(asked.get("evidence", []), known)
        corrected = _ids(corrections.get(f"locomo_{number}_qa{place}", []), known) or evidence
        queries.append(Query(asked["question"], CATEGORIES[asked["category"]], evidence, corrected))
    learned = tuple(_learned(sample.get("observation", {}), known))
    return History(sample["sample_id"], turns, tuple(queries), turns[-1].at + timedelta(days=1), learned)


def _turns(conversation: Mapping[str, Any]) -> Iterable[Turn]:
    numbers = sorted(int(name.split("_")[1]) for name in conversation if re.fullmatch(r"session_\d+", name))
    for number in numbers:
        start = datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
        for place, said in enumerate(conversation[f"session_{number}"]):
            text = said["text"].strip()
            if caption := said.get("blip_caption"):
                text += f" [shares a photo: {caption.strip()}]"
            yield Turn(said["dia_id"], str(number), "user", text, start + place * _BETWEEN, said["speaker"])


def _learned(observations: Mapping[str, Any], known: Collection[str]) -> Iterable[Learned]:
    """What the authors' model observed in each session, with the turns that it is from."""
    for told in (told for session in observations.values() for each in session.values() for told in each):
        text, *evidence = told
        for turn in sorted(_ids(map(str, leaves(evidence)), known)):
            yield Learned(text, turn)


def _ids(evidence: Iterable[str], known: Collection[str]) -> frozenset[str]:
    """Also of "D8:6; D9:17", "D:11:26", "D30:05" and "(D1:2)"; what names no turn is left out."""
    found = (f"D{session}:{turn}" for text in evidence for session, turn in _ID.findall(text))
    return frozenset(found) & frozenset(known)
