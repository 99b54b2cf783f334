"""Declared shapes: results whose own field, status or exit code says what the call amounted to (DESIGN section 3).

`known` lists them, each by its name; `registry` says how one is found; a module a family says how it is read. All are
pure, and find an object by the name of its class: no library of anybody is imported.
"""
