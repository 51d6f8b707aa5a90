/**
 * No part of the frame around a conversation overflows, whatever the font: a browser may refuse ours, and text may be in
 * a script that it lacks. The fonts are ours with the widths and heights of others, so that nothing has to be installed.
 */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { shareGallery } from './gallery/share-gallery.ts';

const gallery = shareGallery();
const isFull = process.env.TUGDECK_TEST_FULL === '1';

/** Average width of lower case text relative to Inter, and height above and below the line. */
const FONTS: Readonly<Record<string, { width: number; up: number; down: number }>> = {
  Inter: { width: 100, up: 97, down: 24 },
  'Noto Sans': { width: 101, up: 107, down: 29 },
  Roboto: { width: 95, up: 93, down: 24 },
  'Segoe UI': { width: 95, up: 108, down: 25 },
  'DejaVu Sans': { width: 109, up: 93, down: 24 },
};

/** 720: 1440 at 200 %. */
const WIDTHS = [390, 720, 820, 1180, 1440, 2560];
const ALL = Object.keys(FONTS).flatMap((font) => WIDTHS.map((width) => [font, width] as const));
const SOME: typeof ALL = [
  ['DejaVu Sans', 390],
  ['DejaVu Sans', 820],
  ['Noto Sans', 1440],
];

test.each(isFull ? ALL : SOME)('D8 nothing in the frame overflows with %s at %i px', async (font, width) => {
  const page = await gallery.open('samples', { isOwn: true, width, height: 900 });
  await page.evaluate(useFont, FONTS[font] ?? { width: 100, up: 100, down: 25 });
  await page.evaluate(() => window.gallery.deck.set(window.fleetDeck()));
  await settled(page);
  expect(await page.evaluate(overflows), 'a session').toEqual([]);
  if (!isFull && width !== 390) return;
  await page.evaluate(() => {
    location.hash = '#/home';
  });
  await page.getByRole('region', { name: 'Home' }).waitFor();
  await settled(page);
  expect(await page.evaluate(overflows), 'Home').toEqual([]);
});

/** Loads the interface's font again with other metrics. Through FontFace, because the policy forbids style elements. */
async function useFont({ width, up, down }: { width: number; up: number; down: number }): Promise<void> {
  const faces = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  const inter = faces.find(
    (rule): rule is CSSFontFaceRule =>
      rule instanceof CSSFontFaceRule &&
      rule.style.getPropertyValue('font-family').replaceAll('"', '') === 'Inter',
  );
  const source = inter?.style.getPropertyValue('src') ?? '';
  const base = inter?.parentStyleSheet?.href ?? location.href;
  const address = new URL(/url\("?([^")]+)"?\)/.exec(source)?.[1] ?? '', base).href;
  const face = new FontFace('Measured', `url("${address}")`, {
    weight: '100 900',
    sizeAdjust: `${width}%`,
    ascentOverride: `${up}%`,
    descentOverride: `${down}%`,
    lineGapOverride: '0%',
  } as FontFaceDescriptors);
  document.fonts.add(await face.load());
  document.documentElement.style.setProperty('--font-ui', 'Measured');
}

async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let left = 3; left > 0; left--) await new Promise((done) => requestAnimationFrame(done));
  });
}

/** Elements of the frame whose content is wider than they are, and controls that lie outside of the window or of their bar. */
function overflows(): string[] {
  const FRAME = '.top-bar, .sidebar, .strip, .status-bar, .phone-bar, .home, .card-header, .panel-tabs';
  const found: string[] = [];
  const name = (node: Element) =>
    `${node.localName}.${node.getAttribute('class') ?? ''} “${(node.getAttribute('aria-label') ?? node.textContent ?? '').slice(0, 30)}”`;
  const isSeen = (node: Element) => {
    const box = node.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && node.checkVisibility({ visibilityProperty: true });
  };
  for (const frame of document.querySelectorAll<HTMLElement>(FRAME)) {
    if (!isSeen(frame)) continue;
    const edge = frame.getBoundingClientRect();
    for (const node of [frame, ...frame.querySelectorAll<HTMLElement>('*')]) {
      // The count of the inbox overhangs its button on purpose.
      if (!isSeen(node) || node.closest('[popover], .visually-hidden, .inbox-button')) continue;
      const { overflowX } = getComputedStyle(node);
      // Cut on purpose, with an ellipsis or a scrollbar.
      const isCut = overflowX !== 'visible';
      if (!isCut && node.clientWidth > 0 && node.scrollWidth > node.clientWidth + 1)
        found.push(`too wide by ${node.scrollWidth - node.clientWidth}: ${name(node)}`);
      const { left, right } = node.getBoundingClientRect();
      const isControl = node.matches('button, a, input, select');
      const scrolls = node.parentElement?.closest('.tabs, .settings-nav, .panel-tabs');
      if (isControl && !scrolls && (right > edge.right + 1 || left < edge.left - 1))
        found.push(`outside of its bar: ${name(node)}`);
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page is wider than its window');
  return [...new Set(found)].slice(0, 12);
}
