/** Style of an exported conversation: follows the reader's color scheme, on screen and on paper. */
export const HTML_STYLE = `:root { color-scheme: light dark; --soft: color-mix(in srgb, CanvasText 7%, Canvas); --line: color-mix(in srgb, CanvasText 18%, Canvas); --dim: color-mix(in srgb, CanvasText 72%, Canvas); }
body { margin: 0 auto; padding: 32px 16px 64px; max-width: 760px; background: Canvas; color: CanvasText; font: 15px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 22px; line-height: 1.3; margin: 0 0 4px; }
h2, h3, h4, h5, h6 { font-size: 16px; margin: 20px 0 4px; }
header { border-bottom: 1px solid var(--line); margin-bottom: 24px; }
header span + span::before { content: "· "; }
article { margin: 16px 0; }
article article { margin: 8px 0 8px 16px; }
article[data-status="cancelled"] { opacity: 0.7; }
.quiet, summary { color: var(--dim); font-size: 13px; }
.plain { white-space: pre-wrap; margin: 4px 0; }
.user { margin-left: 20%; padding: 8px 12px; border-radius: 8px; background: var(--soft); }
.notice { text-align: center; }
.thinking { color: var(--dim); }
details { border: 1px solid var(--line); border-radius: 8px; padding: 6px 12px; }
summary { cursor: pointer; }
pre { overflow: auto; max-height: 70vh; margin: 8px 0; padding: 8px 12px; border-radius: 6px; background: var(--soft); font: 13px/1.45 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; }
code { font: 0.9em ui-monospace, Menlo, Consolas, monospace; }
.diff span { display: block; min-height: 1.45em; }
.diff .added { background: color-mix(in srgb, Canvas 82%, #2a9d4a); }
.diff .removed { background: color-mix(in srgb, Canvas 82%, #d0304f); }
table { border-collapse: collapse; display: block; overflow: auto; }
th, td { border: 1px solid var(--line); padding: 4px 10px; text-align: start; vertical-align: top; }
blockquote { margin: 8px 0; padding-left: 12px; border-left: 2px solid var(--line); color: var(--dim); }
img { max-width: 100%; max-height: 80vh; border-radius: 6px; }
@media print { pre { max-height: none; } details { border: 0; } }
`;
