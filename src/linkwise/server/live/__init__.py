"""Sessions people are working with: who listens, what is computed, what is put away."""
