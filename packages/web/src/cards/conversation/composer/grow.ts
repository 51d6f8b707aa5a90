const MOST_LINES = 10;

/** Makes a text box as high as its text, up to ten lines. */
export function grow(box: HTMLTextAreaElement): void {
  const { lineHeight, paddingTop, paddingBottom } = getComputedStyle(box);
  const padding = Number.parseFloat(paddingTop) + Number.parseFloat(paddingBottom);
  const most = Number.parseFloat(lineHeight) * MOST_LINES + padding;
  box.style.height = '0';
  const wanted = Math.min(box.scrollHeight, most);
  box.style.height = `${wanted}px`;
  box.style.overflowY = box.scrollHeight > most ? 'auto' : 'hidden';
}
