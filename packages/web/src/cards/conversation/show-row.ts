/** Scrolls to an entry and highlights it once its row is rendered: usually a frame or two, many on a busy machine. */
export const MAX_FRAMES = 300;
/** How long a shown row is watched: the virtualizer keeps scrolling to an index that older pages may have moved. */
const WATCHED_FRAMES = 30;
const NOTICE_MS = 1_500;
const USER_INPUT = ['wheel', 'pointerdown', 'touchmove', 'keydown'] as const;

export interface ShowOptions {
  /** Keyboard navigation continues from there. */
  readonly takesFocus: boolean;
  /** Scrolls to the row once more. Returns whether it still should be in view. */
  readonly again: () => boolean;
}

/** The latest request per list; an earlier one ends. */
const latest = new WeakMap<HTMLElement, AbortController>();

export function showWhenRendered(root: HTMLElement, id: string, options: ShowOptions): void {
  latest.get(root)?.abort();
  const control = new AbortController();
  latest.set(root, control);
  const { signal } = control;
  const name = CSS.escape(id);
  // While a tool's request is open, the row has the request's id.
  const find = () => root.querySelector<HTMLElement>(`[data-entry-id="${name}"], [data-row="${name}"]`);
  let isShown = false;
  const look = (framesLeft: number) => {
    if (signal.aborted || framesLeft <= 0) return control.abort();
    const article = find();
    if (!isShown && article) {
      isShown = true;
      if (!isInView(root, article)) article.scrollIntoView({ block: 'center' });
      mark(article, options);
      framesLeft = WATCHED_FRAMES;
      for (const kind of USER_INPUT)
        root.addEventListener(kind, () => control.abort(), { signal, passive: true });
    } else if (isShown && !(article && isInView(root, article)) && !options.again()) return control.abort();
    requestAnimationFrame(() => look(framesLeft - 1));
  };
  look(MAX_FRAMES);
}

function isInView(root: HTMLElement, article: HTMLElement): boolean {
  const box = article.getBoundingClientRect();
  const frame = root.getBoundingClientRect();
  return box.bottom >= frame.top + 24 && box.top <= frame.bottom - 24;
}

function mark(article: HTMLElement, { takesFocus }: ShowOptions): void {
  if (takesFocus) {
    article.focus({ preventScroll: true });
    return;
  }
  article.dataset.found = 'true';
  setTimeout(() => delete article.dataset.found, NOTICE_MS);
}
