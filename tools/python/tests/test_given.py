"""Databases of fingerprints that another program makes take no texts."""

import pyarrow
import pytest

import nddb

WHY = "made by imagehash, and nddb cannot make them of a text; give fingerprints"


def test_fingerprints_are_stored_and_texts_refused(tmp_path):
    config = nddb.Config(k=3, recipe="given/imagehash")
    assert config.recipe == "given/imagehash"
    path = tmp_path / "prints.nddb"
    with nddb.Writer(path, create=config) as writer:
        assert writer.recipe == "given/imagehash"
        writer.add("a", fingerprint=0xFF)
        writer.add("b", fingerprint=0xFE, url="http://www.example.org/b")
        table = pyarrow.table({"id": ["c"], "fp": ["00000000000000fc"]})
        assert writer.add_batch(table, fingerprint="fp")["documents"] == 1
        for refused in (
            lambda: writer.add("d", text="some words"),
            lambda: writer.add_if_new("d", html="<p>some words"),
            lambda: writer.add_batch(pyarrow.table({"id": ["d"], "text": ["some words"]})),
        ):
            with pytest.raises(nddb.RecipeError, match=WHY):
                refused()
        assert writer.add_if_new("e", fingerprint=0xFD).of == "a"
    reader = nddb.open(path)
    assert sorted(match.id for match in reader.query(fingerprint=0xFF)) == ["a", "b", "c"]
    with pytest.raises(nddb.RecipeError, match=WHY):
        reader.query(text="some words")


@pytest.mark.parametrize("recipe", ["given", "given/", "given/a b", "given/a/1"])
def test_names_of_programs_have_letters_and_digits(recipe):
    with pytest.raises(nddb.RecipeError):
        nddb.Config(recipe=recipe)
