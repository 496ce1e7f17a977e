"""CaroZero from Python."""
