"""What a person at the keyboard uses: ``hermes toolsearch …``, and the same as ``hermes-toolsearch``.

A command is one module (or one of a few small ones in it) with three parts: ``add`` declares its options, a function
returns its answer as plain data, and ``render`` shows that data. ``--json`` prints the data instead.
"""
