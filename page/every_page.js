/** What each page of a book runs: how far its reader is, what they chose, where a section is now. */
import "./moved.js";
import "./progress.js";
import "./questions.js";
