"""Links drawn by hypothesis, and slow, obvious answers to compare with."""

from itertools import combinations, product

from hypothesis import strategies as st

from linkwise.constraints import Links

WEIGHTS = st.floats(0, 100, allow_nan=False, width=32)


@st.composite
def links(draw, n_samples=None, max_links=12, max_samples=8, weighted=True):
    """Draw any links, contradictory ones included."""
    n = draw(st.integers(0, max_samples)) if n_samples is None else n_samples
    pairs = list(combinations(range(n), 2))
    if not pairs:
        return Links(n)
    given = st.lists(st.sampled_from(pairs), max_size=max_links // 2)
    must, cannot = draw(given), draw(given)
    size = len(must) + len(cannot)
    weight = draw(st.lists(WEIGHTS, min_size=size, max_size=size)) if weighted else None
    return Links(n, must, cannot, weight)


def labellings(n_samples, n_labels=None):
    """Yield every way to label the rows (with as many labels as rows, every clustering)."""
    return product(range(n_labels or n_samples), repeat=n_samples)


def keeps_all(links, labels):
    """Tell whether a labelling keeps all links, pair by pair."""
    together = all(labels[i] == labels[j] for i, j in links.must.tolist())
    return together and all(labels[i] != labels[j] for i, j in links.cannot.tolist())


def is_consistent(links):
    """Tell by trying every labelling whether the links can all hold."""
    return any(keeps_all(links, labels) for labels in labellings(links.n_samples))


def entailed(links):
    """Return what links say about each pair of rows, by repeating the two rules until they rest.

    Together with together is together, together with apart is apart.
    """
    together = {frozenset(pair) for pair in links.must.tolist()}
    apart = {frozenset(pair) for pair in links.cannot.tolist()}
    while True:
        more_together, more_apart = set(together), set(apart)
        for a, b in product(together, together | apart):
            if len(a & b) == 1:
                (more_together if b in together else more_apart).add(a ^ b)
        if (more_together, more_apart) == (together, apart):
            return together, apart
        together, apart = more_together, more_apart
