"""From the sources to what readers get: pages, notebooks, links, one file to keep."""
