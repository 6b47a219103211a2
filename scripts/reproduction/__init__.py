"""What scripts/reproduce is made of: the standard library, and matplotlib in charts.py alone."""
