"""An audit as one self-contained HTML page: pure functions from what was found to text, with no script and no network.

Whatever others wrote goes through `markup`, and nowhere else does text become HTML.
"""
