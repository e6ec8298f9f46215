"""A process forked after a fit can fit too: OpenMP's threads do not survive the fork."""

import os
import subprocess
import sys
from textwrap import dedent

import pytest

SCRIPT = """
    import faulthandler
    import os
    import numpy as np
    import linkwise as lw

    X = np.random.default_rng(0).normal(size=(400, 5))
    links = lw.Links(400, must=[(0, 1)], cannot=[(2, 3)])
    model = {model}
    parent = model.fit(X, constraints=links).labels_.copy()
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(60, exit=True)
        again = model.fit(X, constraints=links)
        os._exit(int((again.labels_ != parent).any() or (again.predict(X) < 0).any()))
    raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize(
    "model",
    [
        "lw.SequentialClustering(3, n_partitions=10, random_state=0)",
        "lw.PCKMeans(3, random_state=0)",
    ],
)
def test_a_forked_process_fits_as_its_parent_did(model):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", dedent(SCRIPT).format(model=model)],
        env={**os.environ, "OMP_NUM_THREADS": "2"},
        timeout=120,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
