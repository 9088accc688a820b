"""The Hermes side: the only package that imports Hermes, one module per seam.

Nothing here ranks, renders or parses; that is the core's work. A seam that a host does not have turns its feature
off, with one line in the log; :data:`.seams.STATUS` keeps what was installed, for ``hermes toolsearch doctor``.
"""
