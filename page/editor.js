/**
 * The editor of an exercise, by CodeMirror. It comes with the first focus. Tab indents once something
 * was typed, and moves on before that; Escape, then Tab, moves on at any time.
 */
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, indentUnit, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { python } from "@codemirror/legacy-modes/mode/python";
import { EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** The classes that the book's other code has, so the colours are the same. */
const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, class: "k" },
  { tag: tags.operator, class: "o" },
  { tag: tags.comment, class: "c1" },
  { tag: tags.string, class: "s2" },
  { tag: tags.number, class: "mi" },
  { tag: tags.standard(tags.variableName), class: "nb" },
  { tag: tags.definition(tags.variableName), class: "nf" },
]);

const mark = StateEffect.define();
/** The line that failed is marked until something is typed. */
const marked = StateField.define({
  create: () => Decoration.none,
  update(lines, transaction) {
    const effect = transaction.effects.find((each) => each.is(mark));
    if (!effect) return transaction.docChanged ? Decoration.none : lines;
    const { value } = effect;
    if (value < 1 || value > transaction.state.doc.lines) return Decoration.none;
    return Decoration.set(Decoration.line({ class: "tl-failed" }).range(transaction.state.doc.line(value).from));
  },
  provide: (field) => EditorView.decorations.from(field),
});

/**
 * Create an editor in a place.
 * @param {HTMLElement} parent
 * @param {string} doc
 * @param {EditorOptions} options
 * @returns {Editor}
 */
window.transformerLabEditor = (parent, doc, { label, help, run, changed }) => {
  const runs = () => {
    run();
    return true;
  };
  const keys = [
    { key: "Ctrl-Enter", mac: "Cmd-Enter", run: runs },
    { key: "Ctrl-Enter", run: runs },
    { key: "Shift-Enter", run: runs },
  ];
  const view = new EditorView({
    parent,
    doc,
    extensions: [
      Prec.highest(keymap.of(keys)),
      history(),
      lineNumbers(),
      indentUnit.of("    "),
      EditorState.tabSize.of(4),
      StreamLanguage.define(python),
      syntaxHighlighting(COLOURS),
      marked,
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        const isTyped = ["input", "delete"].some((kind) => update.transactions.some((one) => one.isUserEvent(kind)));
        if (isTyped) view.setTabFocusMode(false);
        changed();
      }),
      EditorView.contentAttributes.of({
        "aria-label": label,
        "aria-describedby": help,
        autocapitalize: "off",
        autocorrect: "off",
        spellcheck: "false",
        tabindex: "0", // it is reached so by Tab already, but not every checker knows
      }),
      keymap.of([indentWithTab, ...defaultKeymap, ...historyKeymap]),
    ],
  });
  view.setTabFocusMode(true);
  return {
    focus: () => view.focus(),
    text: () => view.state.doc.toString(),
    mark: (line) => view.dispatch({ effects: mark.of(line) }),
    write: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
  };
};
