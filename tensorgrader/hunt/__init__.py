"""A bug hunt: a notebook in which each student corrects other faulty functions."""
