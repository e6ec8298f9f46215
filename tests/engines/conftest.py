"""Ray clusters of this machine: started again where a busy machine is too slow for Ray."""

import pytest


@pytest.fixture(scope="session")
def start_cluster():
    """Return a function that starts a cluster; it takes what Ray asks of its first machine.

    Ray waits 30 seconds for its processes. Who is too slow has three tries; all else is raised.
    """
    from ray.cluster_utils import Cluster

    def start(**head):
        head = {"object_store_memory": 80_000_000, "include_dashboard": False, **head}
        for is_last in (False, False, True):
            try:
                return Cluster(initialize_head=True, head_node_args=head)
            except Exception as error:
                if is_last or "timed out" not in str(error):
                    raise
        raise AssertionError("the last try returns or raises")

    return start
