"""Counter-examples: the smallest input on which a submission is still wrong in the way that a check saw.

What a check asked is read back as a few steps of the contract's vocabulary (``steps``, ``reading``). The steps are
asked again with smaller sizes and plainer numbers (``axes``, ``entries``, ``smaller``, in the order of ``candidates``
and ``cutting``), compared with the oracle (``right``, ``asking``), and the smallest that fails alike (``search``) is
written down as numbers and as a snippet (``snippet``, ``written``). Tries are counted and not timed, so that two runs
of one seed give the same example.
"""
