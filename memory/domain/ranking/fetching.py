"""Which passages must be looked at so that nothing good is missed, at a cost that does not grow with the profile.

1. The NEAREST passages by vector.
2. For each term of the question, who holds it: conversation, position and length, where at most `holders_up_to` do;
   `df`, counted no further than one beyond that. A word that more passages hold finds none of them, but counts in those
   that are found.
3. The messages at the PLACES that `Places.best` gives: those that hold most of the question, themselves or in the two
   messages around them.

On a profile of 6,000 passages this finds as much as ranking all of them does.
"""

from __future__ import annotations

NEAREST = 200
PLACES = 200
_MOST_HOLDERS, _FEWEST_HOLDERS = 300, 75
_HOLDERS = 3_600  # of all terms together


def holders_up_to(terms: int) -> int:
    """How many holders of each term are fetched for a question of so many terms."""
    return min(_MOST_HOLDERS, max(_FEWEST_HOLDERS, _HOLDERS // max(1, terms)))
