"""Each page, wide and narrow, light and dark: nothing that keeps people from using it."""

import pytest

from tests.browser.conftest import NARROW, WIDE
from tests.browser.life import lived

PATHS = [
    "/dashboard/facts",
    "/dashboard/facts?group=entity",
    "/dashboard/facts/add",
    "/dashboard/review",
    "/dashboard/entities",
    "/dashboard/audit",
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_it_can_be_used_by_everyone(look, anna, scheme, size):
    lived(anna)
    sight = look(color_scheme=scheme, viewport=size)
    for path in PATHS:
        page = sight.open(path)
        assert sight.serious() == [], path
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{path} is wider than the window by {wide}"
