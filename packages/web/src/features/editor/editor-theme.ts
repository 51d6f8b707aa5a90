/** The editor theme: uses the page's tokens, so that it follows every theme. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--code-foreground)', backgroundColor: 'var(--background)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    font: 'var(--text-code)',
    fontVariantLigatures: 'none',
    overflow: 'auto',
    scrollbarWidth: 'thin',
  },
  '.cm-content': { caretColor: 'var(--primary)', padding: '6px 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--primary)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--primary) 28%, transparent)',
  },
  '.cm-gutters': {
    backgroundColor: 'var(--background)',
    color: 'var(--muted-foreground)',
    border: 'none',
  },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 12px', minWidth: '28px' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 45%, transparent)',
  },
  '.cm-activeLineGutter': { color: 'var(--foreground)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--accent)',
    outline: '1px solid var(--input)',
  },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': { color: 'var(--destructive)' },
  '.cm-searchMatch': { backgroundColor: 'color-mix(in srgb, var(--warning) 30%, transparent)' },
  '.cm-searchMatch.cm-searchMatch-selected': {
    backgroundColor: 'color-mix(in srgb, var(--warning) 55%, transparent)',
  },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--primary) 16%, transparent)' },
  '.cm-specialChar': { color: 'var(--destructive)' },
  '.cm-panels': { backgroundColor: 'var(--card)', color: 'var(--card-foreground)', font: 'var(--text-ui)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--border)' },
  '.cm-panel.cm-search': {
    padding: '6px 28px 6px 8px',
    display: 'flex',
    flexWrap: 'wrap',
    gap: '4px',
    alignItems: 'center',
  },
  '.cm-panel.cm-search br': { flexBasis: '100%', content: '""' },
  '.cm-panel.cm-search label': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: '3px',
    fontSize: '12px',
    margin: '0',
  },
  '.cm-panel.cm-search input, .cm-panel.cm-search button': { margin: '0' },
  '.cm-textfield': {
    height: '26px',
    padding: '0 8px',
    border: '1px solid var(--input)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--background)',
    color: 'var(--foreground)',
    font: 'var(--text-ui)',
  },
  '.cm-textfield:focus': { outline: '2px solid var(--ring)', outlineOffset: '-1px' },
  '.cm-button': {
    height: '26px',
    padding: '0 8px',
    border: '1px solid var(--input)',
    borderRadius: 'var(--radius)',
    backgroundImage: 'none',
    backgroundColor: 'transparent',
    color: 'var(--foreground)',
    font: 'var(--text-small)',
    cursor: 'pointer',
  },
  '.cm-button:hover': { backgroundColor: 'var(--accent)' },
  '.cm-panel.cm-search [name=close]': {
    color: 'var(--muted-foreground)',
    fontSize: '18px',
    top: '4px',
    right: '8px',
    cursor: 'pointer',
  },
  '.cm-foldGutter .cm-gutterElement': { cursor: 'pointer', padding: '0 4px 0 0' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--accent)',
    border: 'none',
    color: 'var(--muted-foreground)',
    padding: '0 6px',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--card)',
    color: 'var(--card-foreground)',
    border: '1px solid var(--border)',
    borderRadius: 'var(--radius)',
  },
  '.cm-changedLine, .cm-inlineChangedLine': { backgroundColor: 'var(--added) !important' },
  '.cm-changedText': { background: 'color-mix(in srgb, var(--added-word) 40%, var(--added)) !important' },
  '.cm-deletedChunk': { backgroundColor: 'var(--removed) !important', color: 'var(--removed-foreground)' },
  '.cm-deletedChunk .cm-deletedText': {
    background: 'color-mix(in srgb, var(--removed-word) 40%, var(--removed)) !important',
  },
  '.tok-comment': { color: 'var(--syntax-comment)' },
  // On a tinted background, a muted color has too little contrast.
  '.cm-changedLine .tok-comment, .cm-deletedChunk .tok-comment': { color: 'var(--foreground)' },
  '.cm-chunkButtons button': {
    font: 'var(--text-small) !important',
    height: '19px',
    padding: '0 8px',
    border: '1px solid var(--input) !important',
    backgroundColor: 'var(--card) !important',
    color: 'var(--card-foreground) !important',
  },
  '.cm-deletedChunk .cm-chunkButtons': { insetInlineEnd: '8px', display: 'flex', gap: '4px' },
  '.cm-changeGutter .cm-changedLineGutter': { backgroundColor: 'var(--added-foreground)' },
  '.cm-deletedLineGutter': { backgroundColor: 'var(--removed-foreground)' },
  '.cm-collapsedLines': { background: 'var(--muted)', color: 'var(--muted-foreground)', padding: '2px 12px' },
});

const colorStyles = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.modifier, tags.controlKeyword, tags.operatorKeyword],
    color: 'var(--syntax-keyword)',
  },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--syntax-string)' },
  { tag: [tags.number, tags.integer, tags.float], color: 'var(--syntax-number)' },
  { tag: [tags.bool, tags.null, tags.atom, tags.constant(tags.name)], color: 'var(--syntax-constant)' },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.propertyName)],
    color: 'var(--syntax-function)',
  },
  { tag: [tags.typeName, tags.className, tags.namespace], color: 'var(--syntax-type)' },
  { tag: [tags.comment, tags.meta], class: 'tok-comment' },
  { tag: [tags.operator, tags.derefOperator], color: 'var(--syntax-operator)' },
  { tag: [tags.punctuation, tags.bracket, tags.separator], color: 'var(--syntax-punctuation)' },
  { tag: [tags.tagName, tags.angleBracket], color: 'var(--syntax-tag)' },
  { tag: [tags.attributeName, tags.propertyName], color: 'var(--syntax-attribute)' },
  { tag: [tags.annotation, tags.processingInstruction], color: 'var(--syntax-decorator)' },
  { tag: tags.heading, color: 'var(--syntax-keyword)', fontWeight: '600' },
  { tag: [tags.link, tags.url], color: 'var(--syntax-function)' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.inserted, color: 'var(--added-foreground)' },
  { tag: tags.deleted, color: 'var(--removed-foreground)' },
  { tag: tags.invalid, color: 'var(--destructive)' },
]);

export const editorTheme: Extension = [look, syntaxHighlighting(colorStyles)];
