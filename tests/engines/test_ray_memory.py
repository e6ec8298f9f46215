"""A cluster whose memory is full: Ray's own watch kills every worker, and that is said."""

import time

import numpy as np
import pytest

from linkwise.engines import Ray
from linkwise.engines.on_ray import calls
from linkwise.errors import LinkwiseError

ray = pytest.importorskip(
    "ray", reason="the engine on a cluster needs Ray: pip install 'ray[data]'"
)

pytestmark = pytest.mark.xdist_group("ray")


@pytest.fixture
def full_cluster(start_cluster):
    """A machine that takes its memory for full as soon as anything is in it."""
    watched = {"memory_usage_threshold": 0.0001, "memory_monitor_refresh_ms": 100}
    made = start_cluster(num_cpus=1, _system_config=watched)
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


class Slow:
    """Rows that take longer to read than Ray lets anybody live who has too much memory."""

    n_rows, n_features = 600, 2

    def read(self, start, stop):
        time.sleep(600)
        return np.zeros((stop - start, 2))


@pytest.mark.usefixtures("full_cluster")
def test_workers_that_ray_kills_for_their_memory_are_given_up_with_a_sentence(monkeypatch):
    """Ray itself would start them for ever."""
    monkeypatch.setattr(calls, "PAUSES", (0.1,))
    sentence = r"^a worker of the cluster died again and again \(OutOfMemoryError: .*ask for more"
    with pytest.raises(LinkwiseError, match=sentence):
        Ray().sample(Slow(), np.arange(0, 600, 100))
