/**
 * Pages without the application: sign-in, refusals, unknown addresses. They have the product's look and work without
 * scripts; a script only adds the copy button. Must not echo anything from a request.
 */
import type { FastifyInstance } from 'fastify';
import { pageAssets } from './page-files.ts';

export interface PlainPage {
  readonly title: string;
  /** HTML that we wrote; never from a request. */
  readonly body: string;
  /** The one command that helps. */
  readonly command?: string | undefined;
  /** Without any script: the page with the password form. */
  readonly isScriptless?: boolean;
}

const STYLE_PATH = '/plain.css';
const SCRIPT_PATH = '/plain.js';
/** Public routes. */
export const PLAIN_ROUTES: readonly string[] = [STYLE_PATH, SCRIPT_PATH];

/** The tug of the page's own mark. */
const MARK =
  '<svg class="mark" width="40" height="40" viewBox="0 0 32 32" aria-hidden="true"><path class="hull" d="M3 19.5h26l-3.4 6.2a2.5 2.5 0 0 1-2.2 1.3H9a2.5 2.5 0 0 1-2.2-1.3Z"/><path class="cabin" d="M9 10.5A1.5 1.5 0 0 1 10.5 9h6A1.5 1.5 0 0 1 18 10.5V17H9Z"/><path class="funnel" d="M20.5 5h4v12h-4Z"/></svg>';

export function plainPage({ title, body, command, isScriptless = false }: PlainPage): string {
  const line =
    command === undefined
      ? ''
      : `<p class="command"><code>${command}</code>${isScriptless ? '' : `<button type="button" data-copy="${command}" hidden>Copy</button>`}</p>`;
  const script = isScriptless ? '' : `<script src="${SCRIPT_PATH}" defer></script>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light"><title>${title} – Tugdeck</title><link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${STYLE_PATH}">${script}</head>
<body><main>${MARK}<h1>${title}</h1>
${body}
${line}
</main></body></html>
`;
}

export function servePlainFiles(app: FastifyInstance, web: string | undefined): void {
  const style = fontFace(web) + STYLE;
  app.get(STYLE_PATH, (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'no-cache').send(style),
  );
  app.get(SCRIPT_PATH, (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send(SCRIPT),
  );
}

/** The application's font, whose file name contains a hash. */
function fontFace(web: string | undefined): string {
  const file =
    web === undefined ? undefined : pageAssets(web).find((name) => /^inter-latin-.*\.woff2$/.test(name));
  return file === undefined
    ? ''
    : `@font-face { font-family: Inter; font-weight: 100 900; src: url(/assets/${file}) format("woff2"); }\n`;
}

const SCRIPT = `for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = !navigator.clipboard;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = 'Copied';
  });
}
`;

const STYLE = `:root { color-scheme: dark light; --ground: light-dark(#eceef5, #0f1016); --card: light-dark(#ffffff, #1f222e); --text: light-dark(#1a1f33, #e6e9f5);
  --quiet: light-dark(#4f5875, #a6adc8); --line: light-dark(#c3c9dc, #3a4056); --accent: light-dark(#2f5fd0, #7aa2f7); --on-accent: light-dark(#ffffff, #0f1016);
  --bad: light-dark(#c4284a, #ff7a8e); --amber: light-dark(#f5a524, #ffb454); --code: light-dark(#f4f5fa, #12141c); font: 15px/24px Inter, system-ui, sans-serif; }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--ground); color: var(--text); }
main { width: min(26rem, calc(100vw - 2rem)); margin: 2rem 0; padding: 2rem; border: 1px solid var(--line); border-radius: 14px; background: var(--card); box-shadow: 0 16px 48px #0003; }
.hull { fill: var(--accent); } .cabin { fill: var(--text); } .funnel { fill: var(--amber); }
h1 { margin: 0.75rem 0 0.5rem; font-size: 20px; line-height: 28px; letter-spacing: -0.01em; }
p { margin: 0 0 1rem; color: var(--quiet); } p:last-child { margin: 0; }
a { color: var(--accent); }
code { font: 13px/20px "JetBrains Mono", ui-monospace, monospace; color: var(--text); }
.command { display: flex; align-items: center; gap: 0.5rem; padding: 0.375rem 0.375rem 0.375rem 0.75rem; border: 1px solid var(--line); border-radius: 10px; background: var(--code); }
.command code { flex: 1; min-height: 2rem; align-content: center; }
form { display: grid; gap: 0.5rem; margin: 1rem 0 1.5rem; }
label { font-weight: 600; }
input, button { min-height: 44px; padding: 0 0.75rem; border: 1px solid var(--line); border-radius: 6px; background: var(--card); color: var(--text); font: inherit; }
input { font-size: 16px; } form button { margin-top: 0.5rem; }
button { border-color: transparent; background: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer; }
.command button { min-height: 2rem; font-size: 13px; } [hidden] { display: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
[role=alert] { margin: 0; color: var(--bad); font-weight: 600; }
.code { margin-top: 1rem; } .code code { color: var(--quiet); }
`;
