from linkwise.bench.papers.spectral.run import Score
from linkwise.bench.papers.spectral.verdicts import verdicts
from linkwise.bench.report import expected


def score(nmi_free, seconds):
    return Score(nmi_free, 0.0, 0.0, 0.0, seconds)


def test_claims_are_counted_cell_by_cell():
    mean = {
        ("mnist", 300, "labels", "SC-PC"): score(0.6, 2.0),
        ("mnist", 300, "labels", "LSC-R"): score(0.5, 1.0),
        ("mnist", 600, "labels", "SC-PC"): score(0.4, 3.0),
        ("mnist", 600, "labels", "LSC-R"): score(0.5, 1.0),
        ("mnist", 300, "pairs", "SC-PC"): score(0.7, 1.0),
        ("mnist", 300, "labels", "LSC-K"): score(0.9, 5.0),
    }
    page = verdicts(mean, expected("spectral"))
    assert "| SC-PC is above LSC-R | 1 of 2 | not run |" in page
    assert "| SC-PC is above LSC-K on MNIST from p = 1500 | not run | not run |" in page
    assert "| MNIST: LSC-K takes 1.5 to 1.7 times as long as SC-PC | 2.5 to 2.5 times |" in page
    assert "| LSC-R is the quickest: SC-PC takes longer | 2.0 to 3.0 times |" in page
