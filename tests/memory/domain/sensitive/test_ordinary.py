import pytest

from .ordinary import SHAPES, false_alarms


@pytest.mark.parametrize("name", SHAPES)
def test_ordinary_numbers_raise_no_alarm(name):
    """One in a hundred and fifty at most here, and hardly any over all: `ordinary.py` prints the table."""
    assert len(false_alarms(SHAPES[name], 300, seed=11)) <= 2


def test_ordinary_numbers_taken_together_raise_less_than_one_alarm_in_a_thousand():
    alarms = [alarm for shape in SHAPES.values() for alarm in false_alarms(shape, 100, seed=5)]
    assert len(alarms) <= len(SHAPES) * 100 // 1000, alarms
