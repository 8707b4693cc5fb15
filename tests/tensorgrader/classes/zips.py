"""Archives, made in memory."""

import io
import zipfile


def zipped(files):
    """Pack files, given by name, into a zip archive; give its bytes, the same at any time."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return made.getvalue()
