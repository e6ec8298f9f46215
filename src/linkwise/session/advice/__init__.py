"""Advice: what to ask next, what contradicts, whether more answers pay."""
