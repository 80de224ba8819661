"""What learns and what compares; the environment in `cribbage_env` knows nothing of it."""
