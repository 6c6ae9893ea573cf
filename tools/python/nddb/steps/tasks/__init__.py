"""What the tasks of the steps do: functions from Arrow batches to Arrow batches, a file for each step.

Each docstring gives the input and output: `INPUT -> OUTPUT`, with schemas of `nddb.steps.schemas`, after the order that
the input must have. The rules are those of `nddb.tables`.
"""
