/**
 * CodeMirror for one file, in a shadow root: there its styles are adopted sheets, which the page's CSP allows,
 * instead of style elements, which it forbids. The file session owns the text.
 */
import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language';
import { unifiedMergeView } from '@codemirror/merge';
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search';
import { Annotation, Compartment, EditorState, type Extension, Text } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { editorTheme } from './editor-theme.ts';
import { loadLanguage } from './languages.ts';
import { lineEndOf, smallestChange } from './text-changes.ts';

export interface EditorOptions {
  readonly host: HTMLElement;
  readonly path: string;
  readonly text: string;
  readonly isWritable: boolean;
  readonly onTyped: (text: () => string) => void;
  readonly onSave: () => void;
  readonly onSelected: (selection: EditorSelectionFacts | undefined) => void;
}

export interface EditorSelectionFacts {
  readonly fromLine: number;
  readonly toLine: number;
  readonly text: string;
}

export interface Editor {
  /** Shows another text (from disk or a resolved conflict): replaces only what differs, and can be undone. */
  show(text: string): void;
  /** The text to compare with; undefined without a conflict. */
  compare(theirs: string | undefined): void;
  setWritable(isWritable: boolean): void;
  setWrapped(isWrapped: boolean): void;
  goTo(line: number, column?: number): void;
  find(): void;
  focus(): void;
  destroy(): void;
}

/** Zero-width characters that the editor does not know. */
const HIDDEN = '\\u00ad|\\u034f|[\\u115f\\u1160]|[\\u2060-\\u206f]|\\u3164|[\\ufff9-\\ufffb]';

/** The library's labels of the search panel, as ours are written. */
const SEARCH_LABELS: Readonly<Record<string, string>> = {
  next: 'Next',
  previous: 'Previous',
  all: 'Select all',
  'match case': 'Match case',
  regexp: 'Regular expression',
  'by word': 'Whole word',
  replace: 'Replace',
  'replace all': 'Replace all',
  close: 'Close',
};

/** Marks changes that were not typed. */
const fromOutside = Annotation.define<true>();

export function createEditor(options: EditorOptions): Editor {
  const shadow = options.host.shadowRoot ?? options.host.attachShadow({ mode: 'open' });
  const lineEnd = lineEndOf(options.text);
  const language = new Compartment();
  const comparison = new Compartment();
  const writing = new Compartment();
  const wrapping = new Compartment();
  const view = new EditorView({
    root: shadow,
    parent: shadow,
    state: EditorState.create({
      doc: Text.of(options.text.split(lineEnd)),
      extensions: [
        EditorState.lineSeparator.of(lineEnd),
        basics(options),
        language.of([]),
        comparison.of([]),
        writing.of(EditorState.readOnly.of(!options.isWritable)),
        wrapping.of([]),
        EditorView.updateListener.of(({ docChanged, selectionSet, state, transactions }) => {
          if (docChanged && !transactions.some((one) => one.annotation(fromOutside)))
            options.onTyped(() => view.state.sliceDoc());
          if (docChanged || selectionSet) options.onSelected(selectionOf(state));
        }),
      ],
    }),
  });
  let isOver = false;
  loadLanguage(options.path).then(
    (found) => {
      if (found && !isOver) view.dispatch({ effects: language.reconfigure(found) });
    },
    (error: unknown) => console.warn('no colors for this language', error),
  );
  return {
    show(text) {
      const change = smallestChange(view.state.sliceDoc(), text);
      if (!change) return;
      const { state } = view;
      // Positions count one character per line end.
      const place = (at: number, of: string) =>
        at - (lineEnd === '\n' ? 0 : of.slice(0, at).split(lineEnd).length - 1);
      const from = place(change.from, state.sliceDoc());
      const to = place(change.to, state.sliceDoc());
      view.dispatch({
        changes: { from, to, insert: state.toText(change.insert) },
        annotations: [fromOutside.of(true), isolateHistory.of('full')],
      });
    },
    compare(theirs) {
      const extension: Extension =
        theirs === undefined
          ? []
          : unifiedMergeView({
              original: Text.of(theirs.split(lineEnd)),
              mergeControls: mergeButton,
              highlightChanges: true,
              gutter: true,
            });
      view.dispatch({ effects: comparison.reconfigure(extension) });
    },
    setWritable(isWritable) {
      view.dispatch({ effects: writing.reconfigure(EditorState.readOnly.of(!isWritable)) });
    },
    setWrapped(isWrapped) {
      view.dispatch({ effects: wrapping.reconfigure(isWrapped ? EditorView.lineWrapping : []) });
    },
    goTo(line, column = 0) {
      const { doc } = view.state;
      const found = doc.line(Math.max(1, Math.min(doc.lines, line)));
      const at = Math.min(found.to, found.from + column);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
      view.focus();
    },
    find: () => openSearchPanel(view),
    focus: () => view.focus(),
    destroy() {
      isOver = true;
      view.destroy();
    },
  };
}

function basics({ path, onSave }: EditorOptions): Extension {
  return [
    lineNumbers(),
    foldGutter(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    // Shows hidden characters: bidirectional controls and those without width.
    highlightSpecialChars({
      addSpecialChars: new RegExp(HIDDEN, 'gu'),
    }),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightSelectionMatches(),
    search({ top: true }),
    EditorState.phrases.of(SEARCH_LABELS),
    EditorView.contentAttributes.of({ 'aria-label': `Text of ${path}`, spellcheck: 'false' }),
    keymap.of([
      {
        key: 'Mod-s',
        preventDefault: true,
        run: () => {
          onSave();
          return true;
        },
      },
      ...closeBracketsKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...defaultKeymap,
      indentWithTab,
    ]),
    editorTheme,
  ];
}

function mergeButton(type: 'accept' | 'reject', act: (event: MouseEvent) => void): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'cm-button';
  button.textContent = type === 'accept' ? 'Keep mine' : 'Use version on disk';
  button.addEventListener('mousedown', act);
  return button;
}

function selectionOf(state: EditorState): EditorSelectionFacts | undefined {
  const { main } = state.selection;
  if (main.empty) return undefined;
  const { from, to } = main;
  return {
    fromLine: state.doc.lineAt(from).number,
    toLine: state.doc.lineAt(Math.max(from, to - 1)).number,
    text: state.sliceDoc(from, to),
  };
}
