"""The engine that grades: properties, known mistakes, and two judges that share them.

`check.check` runs in the notebook and answers at once; `grade.grade_notebook` gives the verdict,
from the sources of the answer cells, in a process apart.
"""
