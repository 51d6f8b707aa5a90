/**
 * The buttons of code blocks, handled by one listener on the root: copy (with a check mark for two seconds) and
 * wrap. Copies the source, so highlighting and wrapping never reach the clipboard.
 */
import { codeBlockOf } from './code-block.ts';

export interface CodeActionOptions {
  /** Writes to the clipboard; by default the browser's. */
  copy?: (text: string) => Promise<void>;
}

const TICK_MS = 2_000;

export function installCodeActions(root: HTMLElement, options: CodeActionOptions): () => void {
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const copy = options.copy ?? ((text: string) => navigator.clipboard.writeText(text));

  const show = (button: HTMLElement, label: string, className: string) => {
    button.textContent = label;
    button.classList.add(className);
    const timer = setTimeout(() => {
      timers.delete(timer);
      button.textContent = 'Copy';
      button.classList.remove(className);
    }, TICK_MS);
    timers.add(timer);
  };

  const onClick = (event: MouseEvent) => {
    if (!(event.target instanceof Element)) return;
    const button = event.target.closest<HTMLElement>('button[data-action]');
    const block = button === null ? undefined : codeBlockOf(button);
    if (button === null || block === undefined) return;
    if (button.dataset.action === 'wrap') {
      const isWrapped = block.root.classList.toggle('is-wrapped');
      button.setAttribute('aria-pressed', String(isWrapped));
    } else if (button.dataset.action === 'source') {
      const isSource = block.root.classList.toggle('is-source');
      button.setAttribute('aria-pressed', String(isSource));
    } else {
      copy(block.text).then(
        () => show(button, '✓ Copied', 'is-copied'),
        () => show(button, 'Copy failed', 'is-failed'),
      );
    }
  };

  root.addEventListener('click', onClick);
  return () => {
    root.removeEventListener('click', onClick);
    for (const timer of timers) clearTimeout(timer);
  };
}
