/* From a folder (file://) no script may read the pages found, so none of their text is shown. */
DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = location.protocol !== "file:";
