/**
 * Keeps the page above the soft keyboard in browsers that cover it instead of resizing it (Safari), which ignore
 * `interactive-widget`. Elsewhere the page's own height shrinks, and this finds nothing to do.
 */

/** Bars of the browser that come and go are lower than a keyboard. */
const MIN_KEYBOARD = 120;

export function followKeyboard(): () => void {
  const viewport = window.visualViewport;
  if (!viewport) return () => undefined;
  const root = document.documentElement;
  const measure = () => {
    const covered = Math.round(innerHeight - viewport.height);
    const isOpen = viewport.scale < 1.01 && covered >= MIN_KEYBOARD;
    root.toggleAttribute('data-keyboard', isOpen);
    if (isOpen) root.style.setProperty('--keyboard', `${covered}px`);
    else root.style.removeProperty('--keyboard');
    // Safari scrolls the page to show the focused field, which would move the title out of view.
    if (isOpen && viewport.offsetTop > 0) scrollTo(0, 0);
  };
  viewport.addEventListener('resize', measure);
  measure();
  return () => viewport.removeEventListener('resize', measure);
}
