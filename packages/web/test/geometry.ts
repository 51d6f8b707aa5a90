/**
 * Layout faults found by measuring in the page: text that leaves its box, rows or controls that overlap, content
 * wider than the page.
 */
export function geometryFaults(): string[] {
  const faults: string[] = [];
  const name = (node: Element) => {
    const words = (node.getAttribute('aria-label') ?? node.textContent ?? '').trim().slice(0, 40);
    return `${node.localName}.${node.getAttribute('class') ?? ''} “${words}”`;
  };
  const isSeen = (node: Element) => {
    const { width, height } = node.getBoundingClientRect();
    return (
      width > 1 && height > 1 && node.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    );
  };
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page is wider than its window');
  const log = document.querySelector('[role=log]');
  // A new conversation has no list yet.
  if (!log) return faults;
  const frame = log.getBoundingClientRect();

  const rows = [...log.querySelectorAll('article')].filter((row) => !row.parentElement?.closest('article'));
  let bottom = Number.NEGATIVE_INFINITY;
  for (const row of rows.filter(isSeen)) {
    const { top, left, right } = row.getBoundingClientRect();
    if (top < bottom - 1) faults.push(`overlap: ${name(row)}`);
    if (left < frame.left - 1 || right > frame.right + 1) faults.push(`beyond the list: ${name(row)}`);
    bottom = row.getBoundingClientRect().bottom;
  }

  // Clipping or scrolling on purpose is fine; text that overflows a visible box is not.
  const clips = (node: Element | null): boolean =>
    node !== null &&
    node !== log &&
    (getComputedStyle(node).overflowX !== 'visible' || clips(node.parentElement));
  const range = document.createRange();
  const words = document.createTreeWalker(document.querySelector('main') ?? log, NodeFilter.SHOW_TEXT);
  for (let node = words.nextNode(); node; node = words.nextNode()) {
    const box = node.parentElement;
    if (!box || !node.textContent?.trim() || !isSeen(box) || clips(box)) continue;
    range.selectNodeContents(node);
    const text = range.getBoundingClientRect();
    const block = box.closest('article, header, form, section, nav') ?? box;
    const { left, right } = block.getBoundingClientRect();
    if (text.width > 1 && (text.left < left - 18 || text.right > right + 2))
      faults.push(`text out of its box: ${name(box)}`);
  }

  const controls = [
    ...document.querySelectorAll('main button, main input, main select, main textarea'),
  ].filter(isSeen);
  for (const [index, one] of controls.entries()) {
    const a = one.getBoundingClientRect();
    for (const other of controls.slice(index + 1, index + 12)) {
      if (one.contains(other) || other.contains(one)) continue;
      const b = other.getBoundingClientRect();
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 2 && high > 2 && one.closest('article') === other.closest('article'))
        faults.push(`controls on each other: ${name(one)} and ${name(other)}`);
    }
  }
  return [...new Set(faults)].slice(0, 20);
}
