"""Ray clusters of this machine: started once more where a busy machine is too slow for Ray."""

import pytest


@pytest.fixture(scope="session")
def start_cluster():
    """Return a function that starts a cluster; it takes what Ray asks of its first machine.

    Ray waits 30 seconds for its processes. Whatever goes wrong a second time is raised.
    """
    from ray.cluster_utils import Cluster

    def start(**head):
        head = {"object_store_memory": 80_000_000, "include_dashboard": False, **head}
        try:
            return Cluster(initialize_head=True, head_node_args=head)
        except Exception as error:
            if "timed out" not in str(error):
                raise
            return Cluster(initialize_head=True, head_node_args=head)

    return start
