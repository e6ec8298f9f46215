from itertools import combinations

from drawn_links import entailed, links
from hypothesis import assume, given, settings

from linkwise.constraints.known_pairs import KnownPairs


@settings(deadline=None, max_examples=60)
@given(links())
def test_a_pair_is_known_exactly_if_its_answer_is_entailed(links):
    assume(not links.conflicts())
    together, apart = entailed(links)
    known = KnownPairs(links)
    for i, j in combinations(range(links.n_samples), 2):
        assert known(i, j) == (frozenset((i, j)) in together | apart)
        assert known(j, i) == known(i, j)
