/** What each page of a book runs that has no exercises: how far its reader is, and what they chose. */
import "./progress.js";
import "./questions.js";
