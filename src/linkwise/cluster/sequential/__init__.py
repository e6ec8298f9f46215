"""An ensemble built once, answers that come and go."""
