"""Functions that the tasks of the steps run, from Arrow batches to Arrow batches; a file for each step.

Each docstring gives input and output, `INPUT -> OUTPUT`, as schemas of `nddb.steps.schemas`, and the order that the
input must have. The rules are those of `nddb.tables`.
"""
