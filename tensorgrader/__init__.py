"""The engine that grades: properties, known mistakes, and the judgement that all front ends share.

`check.check` runs in the notebook and answers at once; `grade.grade_notebook` gives the verdict,
from the sources of the answer cells, in a process apart.
"""
