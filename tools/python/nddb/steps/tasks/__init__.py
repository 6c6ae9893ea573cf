"""What the tasks of the steps do: functions from Arrow batches to Arrow batches, a file for each step.

Each says what it takes and what it gives; where the rows have to be sorted, so is the first thing that it says. The
rules are those of `nddb.tables`.
"""
