/** A running product with prepared conversations, and the time to open one in a browser. */
import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { openLedger } from '@tugdeck/local/ledger';
import { DEFAULT_TIMINGS } from '@tugdeck/local/timings';
import { endHosts } from '@tugdeck/machine/hosts/end-hosts';
import { openStore } from '@tugdeck/store/store';
import { type PageMemory, pageMemory } from '../card/page-memory.ts';
import { installProbe } from '../kit/page-probe.ts';
import { online, Product } from '../kit/product.ts';
import { LAST, type Shape, writeConversation } from './long-conversation.ts';

const AGENT = 'claude';

export interface CardFigures extends PageMemory {
  readonly freshMs: number;
  /** The browser caches compiled code from the second load on: the first reload compiles the page's code again. */
  readonly firstReloadMs: number;
  readonly reloadMs: number;
  /** Parts of `reloadMs`, from its start: the document, the page's code, IndexedDB. */
  readonly parts: { readonly html: number; readonly code: number; readonly store: number };
  /** The same browser reloads a single image: a reload without our code. */
  readonly floorMs: number;
  readonly switchMs: number;
}

export interface SeededDeck {
  readonly product: Product;
  /** Session ids by conversation name. */
  readonly sessions: Readonly<Record<string, string>>;
  /** Milliseconds from the click to the frame that shows the last entry, on a fresh page. */
  timeOpening(name: string): Promise<{ first: number; again: number }>;
  /** Opens this conversation and measures memory, a reload and a switch of cards. */
  measure(name: string): Promise<CardFigures>;
}

export async function seedDeck(shapes: Readonly<Record<string, Shape>>): Promise<SeededDeck> {
  const product = await Product.prepare();
  const project = randomUUID();
  const path = realpathSync(product.sandbox.project);
  const store = openStore(product.data.database);
  store.projects.insert({ id: project, path, name: 'Project', addedAt: Date.now() });
  const sessions: Record<string, string> = {};
  for (const [name, shape] of Object.entries(shapes)) {
    const id = randomUUID();
    sessions[name] = id;
    store.sessions.insert({ id, project, agent: AGENT, createdAt: Date.now() });
    store.sessions.rename(id, name);
    writeConversation(product.data.session(id), shape);
  }
  const other = randomUUID();
  store.sessions.insert({ id: other, project, agent: AGENT, createdAt: Date.now() });
  store.close();
  await product.start();
  return {
    product,
    sessions,
    async measure(name) {
      const session = sessions[name] ?? '';
      const { page, close } = await product.page(installProbe, session);
      const firstEntry = () =>
        page.evaluate(async (last) => {
          const at = await window.probe.until(`[data-entry-id="${last}"]`);
          // The entry may have been rendered before our call.
          return (window.probe.entryAt ?? at) - performance.timeOrigin;
        }, LAST);
      const go = (id: string, sign: string) =>
        page.evaluate(
          async ({ link, wanted }) => {
            const started = performance.now();
            document.querySelector<HTMLElement>(`a[href$="${link}"]`)?.click();
            await window.probe.until(wanted);
            await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
            return performance.now() - started;
          },
          { link: id, wanted: sign },
        );
      try {
        const freshMs = await firstEntry();
        const memory = await pageMemory(page);
        await go(other, `li[data-active="true"] a[href$="${other}"]`);
        const switchMs = await go(session, `[data-entry-id="${LAST}"]`);
        const reload = async () => {
          // Data for IndexedDB is written once a second; work left over from the previous load must not count.
          await page.waitForTimeout(1_500);
          await page.reload({ waitUntil: 'commit' });
          const ms = await firstEntry();
          await online(page);
          return ms;
        };
        const firstReloadMs = await reload();
        for (let left = 2; left > 0; left--) await reload();
        const reloadMs = await reload();
        const parts = await page.evaluate(() => {
          const [document] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
          const since = (at = Number.NaN) => at - performance.timeOrigin;
          const { codeAt, storeAt } = window.probe;
          return { html: document?.responseEnd ?? Number.NaN, code: since(codeAt), store: since(storeAt) };
        });
        await page.goto(new URL('/icon.svg', page.url()).href);
        await page.reload();
        const floorMs = await page.evaluate(() => {
          const [document] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
          return document?.loadEventStart ?? Number.NaN;
        });
        return { ...memory, freshMs, switchMs, firstReloadMs, reloadMs, parts, floorMs };
      } finally {
        await close();
        await endHosts(openLedger(product.data.ledger), DEFAULT_TIMINGS);
      }
    },
    async timeOpening(name) {
      const { page, close } = await product.page(installProbe, other);
      try {
        return await page.evaluate(
          async ({ session, other, last }) => {
            const now = () => performance.timeOrigin + performance.now();
            const link = (id: string) => document.querySelector<HTMLElement>(`a[href$="${id}"]`);
            const open = async (id: string, sign: string) => {
              const started = now();
              link(id)?.click();
              await window.probe.until(sign);
              await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
              return now() - started;
            };
            await window.probe.until(`a[href$="${session}"]`);
            const entry = `[data-entry-id="${last}"]`;
            const first = await open(session, entry);
            await open(other, `li[data-active="true"] a[href$="${other}"]`);
            const again = await open(session, entry);
            return { first, again };
          },
          { session: sessions[name] ?? '', other, last: LAST },
        );
      } finally {
        await close();
        // A visible card starts its host; the next opening must find none.
        await endHosts(openLedger(product.data.ledger), DEFAULT_TIMINGS);
      }
    },
  };
}
