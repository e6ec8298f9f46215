import pytest

from linkwise.bench.papers.spectral.run import Score
from linkwise.bench.papers.spectral.verdicts import verdicts
from linkwise.bench.report import expected


def score(nmi_free, relative, acc_free=0.5):
    return Score(nmi_free, 0.0, acc_free, 0.0, 1.0, relative)


def test_claims_are_counted_cell_by_cell():
    mean = {
        ("mnist", 300, "labels", "SC-PC"): score(0.6, 2.0),
        ("mnist", 300, "labels", "LSC-R"): score(0.5, 1.0),
        ("mnist", 600, "labels", "SC-PC"): score(0.4, 3.0, acc_free=0.6),
        ("mnist", 600, "labels", "LSC-R"): score(0.5, 1.0),
        ("mnist", 300, "pairs", "SC-PC"): score(0.7, 1.0),
        ("mnist", 300, "labels", "LSC-K"): score(0.9, 5.0),
        ("mnist", 1500, "labels", "SC-PC"): score(0.9, 2.0, acc_free=0.1),
        ("mnist", 1500, "labels", "LSC-K"): score(0.8, 4.0),
    }
    page = verdicts(mean, expected("spectral"))
    above_lsc_r = "1 of 2, in part | 1 of 2, in part | not run | not run"
    above_lsc_k = "1 of 1, holds | 0 of 1, does not hold | not run | not run"
    assert f"| SC-PC is above LSC-R | {above_lsc_r} |" in page
    assert f"| SC-PC is above LSC-K on MNIST from p = 1500 | {above_lsc_k} |" in page
    assert (
        "| MNIST: LSC-K takes 1.5 (p = 300) to 1.7 (p = 1800) times as long as SC-PC | "
        "2.0 to 2.5 times |"
    ) in page
    assert "| LSC-R takes less time than SC-PC | 0.3 to 0.5 times |" in page


@pytest.mark.parametrize("n_known", [577, 1155])
def test_claims_about_few_landmarks_are_counted_for_few(n_known):
    mean = {
        ("pie", n_known, "labels", "SC-PC"): score(0.6, 2.0),
        ("pie", n_known, "labels", "LSC-WPR"): score(0.5, 1.0),
    }
    page = verdicts(mean, expected("spectral"))
    few, many = (
        ("0 of 1, does not hold", "not run") if n_known < 700 else ("not run", "1 of 1, holds")
    )
    assert f"| LSC-WPR is above SC-PC on COIL100 and PIE at 5 % | {few} |" in page
    assert f"| SC-PC is above LSC-WPR on COIL100 and PIE beyond 5 % | {many} |" in page
