const MOST_LINES = 10;

/** The style sheet does it, without a layout in the middle of the drawing. */
const growsByItself = CSS.supports('field-sizing', 'content');

/** Makes a text box as high as its text, up to ten lines, where the browser cannot. */
export function grow(box: HTMLTextAreaElement): void {
  if (growsByItself) return;
  const { lineHeight, paddingTop, paddingBottom } = getComputedStyle(box);
  const padding = Number.parseFloat(paddingTop) + Number.parseFloat(paddingBottom);
  const most = Number.parseFloat(lineHeight) * MOST_LINES + padding;
  box.style.height = '0';
  const wanted = Math.min(box.scrollHeight, most);
  box.style.height = `${wanted}px`;
  box.style.overflowY = box.scrollHeight > most ? 'auto' : 'hidden';
}
