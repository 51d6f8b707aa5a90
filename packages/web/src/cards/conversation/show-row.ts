/** Scrolls to an entry and highlights it once its row is rendered: usually a frame or two, many on a busy machine. */
export const MAX_FRAMES = 300;
const NOTICE_MS = 1_500;

export interface ShowOptions {
  /** Keyboard navigation continues from there. */
  readonly takesFocus: boolean;
}

export function showWhenRendered(
  root: HTMLElement,
  id: string,
  options: ShowOptions,
  tries = MAX_FRAMES,
): void {
  const name = CSS.escape(id);
  // While a tool's request is open, the row has the request's id.
  const article = root.querySelector<HTMLElement>(`[data-entry-id="${name}"], [data-row="${name}"]`);
  if (!article) {
    if (tries > 0) requestAnimationFrame(() => showWhenRendered(root, id, options, tries - 1));
    return;
  }
  const box = article.getBoundingClientRect();
  const frame = root.getBoundingClientRect();
  if (box.bottom < frame.top + 24 || box.top > frame.bottom - 24) article.scrollIntoView({ block: 'center' });
  if (options.takesFocus) {
    article.focus({ preventScroll: true });
    return;
  }
  article.dataset.found = 'true';
  setTimeout(() => delete article.dataset.found, NOTICE_MS);
}
