"""What the strategies are called; their code loads when one is used."""

NAMES = ("auto", "disagreement", "explore-consolidate", "min-max", "margin", "cobras", "random")
