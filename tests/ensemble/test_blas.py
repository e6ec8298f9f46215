import sys
import threading

import pytest
from threadpoolctl import ThreadpoolController

from linkwise.ensemble import blas
from linkwise.ensemble.blas import one_blas_thread


def blas_threads():
    libraries = ThreadpoolController().select(user_api="blas").info()
    return {library["num_threads"] for library in libraries}


@pytest.fixture
def three_threads():
    with ThreadpoolController().limit(limits=3, user_api="blas"):
        if blas_threads() != {3}:
            pytest.skip("this BLAS does not take three threads")
        yield


@pytest.mark.usefixtures("three_threads")
def test_blas_has_one_thread_inside_and_its_own_number_outside():
    with one_blas_thread():
        assert blas_threads() == {1}
        with one_blas_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {3}


@pytest.mark.usefixtures("three_threads")
def test_the_limit_stays_until_the_last_of_two_holders_leaves():
    entered, leave = threading.Event(), threading.Event()

    def hold():
        with one_blas_thread():
            entered.set()
            leave.wait(10)

    other = threading.Thread(target=hold)
    with one_blas_thread():
        other.start()
        assert entered.wait(10)
    assert blas_threads() == {1}
    leave.set()
    other.join()
    assert blas_threads() == {3}


@pytest.mark.usefixtures("three_threads")
def test_the_limit_is_lifted_after_an_error():
    with pytest.raises(KeyError), one_blas_thread():
        raise KeyError
    assert blas_threads() == {3}


@pytest.mark.usefixtures("three_threads")
def test_work_is_done_again_when_another_thread_lifted_the_limit_meanwhile():
    seen = []

    def lift():
        for library in ThreadpoolController().select(user_api="blas").lib_controllers:
            getattr(library, "clear_controlling_thread", lambda **_: None)(force=True)
            library.set_num_threads(2)

    def work():
        seen.append(blas_threads())
        if len(seen) == 1:
            other = threading.Thread(target=lift)
            other.start()
            other.join()
        return len(seen)

    with one_blas_thread() as blas:
        assert blas.run(work) == 2
    assert seen == [{1}, {1}]
    assert blas_threads() == {2}  # what the other thread asked for


@pytest.mark.usefixtures("three_threads")
def test_limits_of_other_threads_work_again_afterwards():
    with one_blas_thread():
        pass
    found = []

    def limit():
        with ThreadpoolController().limit(limits=2, user_api="blas"):
            found.append(blas_threads())

    other = threading.Thread(target=limit)
    other.start()
    other.join()
    assert found == [{2}]
    assert blas_threads() == {3}


def test_libraries_are_looked_for_again_only_after_an_import(monkeypatch):
    looks = []

    def look():
        looks.append(1)
        return ThreadpoolController()

    monkeypatch.setattr(blas, "ThreadpoolController", look)
    monkeypatch.setattr(blas, "_known", (0, []))
    for _ in range(3):
        with one_blas_thread():
            pass
    assert len(looks) == 1
    monkeypatch.setitem(sys.modules, "a_module_that_is_new", sys)
    with one_blas_thread():
        assert blas_threads() == {1}
    assert len(looks) == 2
