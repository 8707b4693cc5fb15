"""The exercises of every chapter, by name."""

from transformer_lab.grading.checks.attention import ATTENTION
from transformer_lab.grading.exercise import Chapter, Exercise, Property

CHAPTERS: dict[str, Chapter] = {chapter.name: chapter for chapter in (ATTENTION,)}

PROPERTIES: dict[str, tuple[Exercise, Property]] = {
    prop.id: (exercise, prop)
    for chapter in CHAPTERS.values()
    for exercise in chapter.exercises
    for prop in exercise.properties
}
