"""Bregman projections of a metric onto bounds on single distances."""

from __future__ import annotations

import numpy as np

from linkwise.kernels.compiling import njit


@njit()
def project_onto_bounds(metric, apart, sign, bound, price, max_iter, tol):  # type: ignore[no-untyped-def]
    """Move ``metric`` to the log-determinant projection onto bounds that may give way at a price.

    Bound ``k`` wants the squared length of ``apart[k]`` to be at most ``bound[k]`` where
    ``sign[k]`` is 1, at least where it is -1, and gives way, held by ``price[k]``. Bounds are
    visited in turn until a round changes no length by more than a share of ``tol``.

    Returns the dual variables and the number of rounds; ``metric`` and ``bound`` are changed in
    place, and ``inverse(metric) = inverse(start) + sum(sign * dual * outer(apart, apart))``.
    """
    n_bounds, n_features = apart.shape
    dual = np.zeros(n_bounds)
    seen = np.empty(n_features)
    for n_iter in range(1, max_iter + 1):
        largest = 0.0
        for k in range(n_bounds):
            length = 0.0
            for i in range(n_features):
                total = 0.0
                for j in range(n_features):
                    total += metric[i, j] * apart[k, j]
                seen[i] = total
                length += total * apart[k, i]
            step = sign[k] * price[k] / (1.0 + price[k]) * (1.0 / length - 1.0 / bound[k])
            step = min(dual[k], step)
            if step == 0.0:
                continue
            dual[k] -= step
            signed = sign[k] * step
            bound[k] = 1.0 / (1.0 / bound[k] + signed / price[k])
            change = signed / (1.0 - signed * length)
            for i in range(n_features):
                for j in range(n_features):
                    metric[i, j] += change * seen[i] * seen[j]
            largest = max(largest, abs(step) * length)
        if largest <= tol:
            break
    return dual, n_iter
