"""What the commands of `python -m octavo` do; `octavo.__main__` reads their options."""
