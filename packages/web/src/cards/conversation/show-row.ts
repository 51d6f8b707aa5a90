/** Scrolls to an entry and highlights it once its row is rendered, which takes a frame or two. */
const TRIES = 20;
const NOTICE_MS = 1_500;

export interface ShowOptions {
  /** Keyboard navigation continues from there. */
  readonly takesFocus: boolean;
}

export function showWhenRendered(root: HTMLElement, id: string, options: ShowOptions, tries = TRIES): void {
  const article = root.querySelector<HTMLElement>(`[data-entry-id="${CSS.escape(id)}"]`);
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
