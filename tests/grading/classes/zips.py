"""Archives, made in memory."""

import io
import zipfile


def zipped(files):
    """Pack files, given by name, into a zip archive; give its bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()
