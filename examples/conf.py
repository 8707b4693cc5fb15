"""A plain Sphinx site with tasks on its pages."""

project = "A line and a convolution"
extensions = ["myst_parser", "tensorgrader.sphinx"]
exclude_patterns = ["README.md", "_build", "course"]
tensorgrader_course = "course"
