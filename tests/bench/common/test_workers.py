import sys

from linkwise.bench.common.measuring import Cell
from linkwise.bench.common.workers import Worker

CELL = Cell("digits", "SequentialClustering", "none", 0)


def test_a_cell_that_computes_too_long_is_ended_and_the_next_one_is_measured():
    worker = Worker(limit=0.05)
    try:
        line = worker.run(CELL)
        assert line == {**CELL.line("too slow"), "seconds": 0.05}
        assert worker.run(Cell("iris", "NCA + k-means", "30 links", 0))["status"] in (
            "refused",
            "too slow",
        )
    finally:
        worker.close()


def test_a_process_that_ends_is_a_failure_of_its_cell_alone():
    worker = Worker(limit=60.0, measured_by=sys.exit)
    try:
        for _ in range(2):
            line = worker.run(CELL)
            assert line["status"] == "failed"
            assert line["said"] == "the process ended, perhaps for want of memory"
    finally:
        worker.close()
