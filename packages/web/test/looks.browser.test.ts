/**
 * Every kind of entry in every state, checked by measuring and as screenshots: dark and light, from a phone to a
 * wide screen. A few in every run; all of them, with screenshots in `screens/`, in the full tests.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { screenshot } from '@tugdeck/testkit/browser';
import { still } from '@tugdeck/testkit/frames';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { DIAGRAMS, FORMULAS } from './drawing-sources.ts';
import { shareGallery } from './gallery/share-gallery.ts';
import { geometryFaults } from './geometry.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const isFull = process.env.TUGDECK_TEST_FULL === '1';

const gallery = shareGallery({ allowed: [/Content Security Policy/] });

const STATES: Readonly<Record<string, { session: string; prepare?: (page: Page) => Promise<unknown> }>> = {
  entries: { session: 'samples' },
  open: { session: 'samples', prepare: openAll },
  running: {
    session: 'samples',
    prepare: async (page) => {
      await page.evaluate(() => window.gallery.host('samples').emit(...window.samples.runningChanges()));
      // Waits for the last part of the answer and of the queue; everything above is then in place.
      await page.getByRole('log').getByText('Now the tests').waitFor();
      await page.getByRole('log').getByText('test/b.test.ts ok').waitFor();
      await page.getByText('And write a commit message').first().waitFor();
    },
  },
  requests: {
    session: 'rest',
    prepare: async (page) => {
      await page.evaluate(() => window.gallery.host('rest').emit(...window.samples.openRequests()));
      for (const name of ['Allow', 'Submit', 'Approve', 'Accept'])
        await page.getByRole('log').getByRole('button', { name, exact: true }).waitFor();
    },
  },
  drawn: {
    session: 'rest',
    prepare: async (page) => {
      const text = `${FORMULAS.slice(1, 3)
        .map((formula) => `$$\n${formula}\n$$\n`)
        .join('\n')}\nWith $a^2 + b^2 = c^2$ in a line.\n\n${DIAGRAMS.slice(0, 2)
        .map((source) => `\`\`\`mermaid\n${source}\n\`\`\`\n`)
        .join('\n')}`;
      await page.evaluate(
        (words) =>
          window.gallery.host('rest').emit({
            kind: 'entry.opened',
            entry: { kind: 'text', id: 'drawn', status: 'complete', text: words },
          }),
        text,
      );
      await page.locator('figure[data-drawing=diagram] img').nth(1).waitFor({ timeout: 30_000 });
    },
  },
  failed: { session: 'failed' },
  empty: { session: 'rest' },
};

async function openAll(page: Page): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    const closed = page.locator(
      '[role=log] .tool-line[aria-expanded=false], [role=log] .line-button[aria-expanded=false]',
    );
    // Expanding may unmount other rows, so they are counted again each time.
    while ((await closed.count()) > 0) await closed.first().click();
  }
}

const WIDTHS = [400, 900, 1600];
const THEMES = ['dark', 'light', 'contrast'] as const;
const SOME = ['open dark 400', 'requests light 900'];
const ALL = Object.keys(STATES).flatMap((state) =>
  THEMES.flatMap((theme) => WIDTHS.map((width) => `${state} ${theme} ${width}`)),
);
const LOOKED_AT = process.env.TUGDECK_LOOKS?.split(',') ?? (isFull ? ALL : SOME);

/** Opens the gallery in a state with nothing hovered or focused, and code colored. */
async function show(look: string, tall?: number): Promise<Page> {
  const [state = '', theme, width] = look.split(' ');
  const { session, prepare } = STATES[state] ?? { session: '' };
  const isContrast = theme === 'contrast';
  const page = await gallery.open(session, {
    theme: theme === 'light' ? 'light' : 'dark',
    width: Number(width),
    height: tall ?? (state === 'open' ? 6_000 : state === 'empty' || state === 'failed' ? 900 : 3_400),
    isOwn: isContrast,
    prepare: async (fresh) => {
      // Also runs in the sandboxed drawing frames, which have no storage.
      if (isContrast)
        await fresh.addInitScript(() => {
          if (window === window.parent) localStorage.setItem('tugdeck.theme', '"contrast"');
        });
    },
  });
  if (Number(width) <= 640) await page.getByRole('navigation', { name: 'Go to' }).waitFor();
  await prepare?.(page);
  await page.mouse.move(0, 0);
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  // Code colors come from a worker: waits for its replies.
  await page.waitForFunction(() => {
    const codes = [...document.querySelectorAll('pre code')].filter((code) =>
      /\b(?:const|export) /.test(code.textContent ?? ''),
    );
    return codes.every((code) => code.querySelector('[class^=syntax]') !== null);
  });
  await page.evaluate(settled);
  return page;
}

/** Newly measured rows move the others: waits until three frames are equal. */
async function settled(): Promise<void> {
  const places = () =>
    [...document.querySelectorAll('[role=log] article')]
      .map((row) => row.getBoundingClientRect())
      .map(({ top, height }) => `${top} ${height}`)
      .join();
  let before = '';
  for (let same = 0; same < 3; ) {
    await new Promise((drawn) => requestAnimationFrame(drawn));
    const now = places();
    same = now === before ? same + 1 : 0;
    before = now;
  }
  // Waits for fade-ins; the pulse of a working agent never ends.
  const isEnding = ({ effect }: Animation) =>
    effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY;
  await Promise.all(
    document
      .getAnimations()
      .filter(isEnding)
      // One whose element goes away is canceled.
      .map(({ finished }) => finished.catch(() => undefined)),
  );
}

test.each(LOOKED_AT)('D8 D9 nothing overflows, overlaps or is hard to read: %s', async (look) => {
  const page = await show(look);
  await screenshot(page, `look-${look.replaceAll(' ', '-')}`);
  expect(await still(page, () => page.evaluate(geometryFaults))).toEqual([]);
  // Colors are checked without animations.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.evaluate(readFileSync(AXE, 'utf8'));
  const serious = await page.evaluate(async () => {
    const axe = (window as unknown as { axe: typeof import('axe-core') }).axe;
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`);
  });
  expect(serious).toEqual([]);
});

/** The best screenshots, reviewed before they are committed. */
const PICTURES = [
  ...[
    'entries dark 900',
    'entries light 900',
    'entries dark 1600',
    'entries light 400',
    'entries contrast 900',
  ],
  ...['open dark 900', 'open light 1600', 'running dark 900', 'running light 400'],
  ...['requests dark 900', 'requests light 900', 'requests dark 400', 'requests contrast 900'],
  ...['drawn dark 900', 'drawn light 900', 'failed dark 900'],
];
test.runIf(process.env.TUGDECK_SCREENS === '1').each(PICTURES)('C1 the picture of %s', async (look) => {
  const page = await show(look, 900);
  const toTop = () =>
    page.getByRole('log').evaluate(async (log) => {
      // Scrolls like a user, otherwise the list keeps following its end.
      log.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }));
      for (let still = 0; still < 10; still = log.scrollTop === 0 ? still + 1 : 0) {
        log.scrollTo(0, 0);
        await new Promise((drawn) => requestAnimationFrame(drawn));
      }
    });
  if (!look.startsWith('running')) await toTop();
  // Content above the screen is rendered only now.
  if (look.startsWith('open')) {
    await openAll(page);
    await page.mouse.move(0, 0);
    await toTop();
  }
  await page.evaluate(settled);
  const folder = new URL('../../../docs/screens/', import.meta.url);
  await page.screenshot({ path: fileURLToPath(new URL(`card-${look.replaceAll(' ', '-')}.png`, folder)) });
});
