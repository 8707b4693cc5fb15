"""The exercises of every chapter, by name."""

from importlib import import_module

from transformer_lab.grading.exercise import Chapter, Exercise, Property

STEMS = (
    "attention",
    "masking",
    "multi_head",
    "positional_encoding",
    "norm",
    "full_model",
)

CHAPTERS: dict[str, Chapter] = {
    stem: import_module(f"transformer_lab.grading.checks.{stem}").CHAPTER for stem in STEMS
}

PROPERTIES: dict[str, tuple[Exercise, Property]] = {
    prop.id: (exercise, prop)
    for chapter in CHAPTERS.values()
    for exercise in chapter.exercises
    for prop in exercise.properties
}
