"""Sessions over HTTP: a thin layer of routes, live streams and jobs around ``linkwise.session``."""
