/**
 * Every row of a conversation as it is drawn, in order, for tests that compare two pages. The list draws only rows near the
 * screen, so this scrolls from its top to its end, and through code, which is highlighted only where it was visible.
 * Ids that React generates per page are normalized.
 */
import type { Page } from 'playwright-core';

export interface DrawnRow {
  readonly id: string;
  /** With the position that the list gave it. */
  readonly html: string;
}

const conversation = (page: Page) => page.getByRole('log', { name: 'Conversation' });

/** Leaves the page at the end of the conversation. */
export async function wholeConversation(page: Page): Promise<{ rows: DrawnRow[]; height: number }> {
  await page.mouse.move(0, 0);
  const { rows, height } = await conversation(page).evaluate(async (log) => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const frames = async () => {
      await frame();
      await frame();
    };
    const throughCode = async () => {
      for (const code of log.querySelectorAll('.markdown-code-scroll')) {
        for (let top = 0; top < code.scrollHeight && code.scrollHeight > code.clientHeight; ) {
          code.scrollTop = top;
          await frame();
          top += Math.max(1, code.clientHeight);
        }
        code.scrollTop = 0;
      }
    };
    const found = new Map<string, string>();
    log.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }));
    for (let before = -1; before !== log.scrollTop; ) {
      before = log.scrollTop;
      log.scrollTop = 0;
      await frames();
    }
    for (let isEnd = false; !isEnd; ) {
      await frames();
      await throughCode();
      for (const article of log.querySelectorAll<HTMLElement>('article')) {
        const isNested = article.parentElement?.closest('article') !== null;
        const row = article.parentElement ?? article;
        if (!isNested) found.set(article.dataset.entryId ?? '', row.outerHTML);
      }
      isEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 1;
      log.scrollTop += log.clientHeight / 2;
    }
    return { rows: [...found].map(([id, html]) => ({ id, html })), height: log.scrollHeight };
  });
  return { rows: rows.map(({ id, html }) => ({ id, html: evened(html) })), height };
}

/** The rows drawn now, without scrolling, code highlighting and row positions. */
export async function drawnRows(page: Page): Promise<DrawnRow[]> {
  const rows = await conversation(page)
    .locator('article')
    .evaluateAll((articles) =>
      articles.map((article) => {
        const copy = article.cloneNode(true) as HTMLElement;
        for (const code of copy.querySelectorAll('pre code')) code.replaceChildren(code.textContent ?? '');
        return { id: (article as HTMLElement).dataset.entryId ?? '', html: copy.outerHTML };
      }),
    );
  return rows.map(({ id, html }) => ({ id, html: evened(html) }));
}

const evened = (html: string) => html.replace(/_r_\w+_/g, '_id_');

/** Describes the first difference of two conversations; undefined if they are equal. */
export function difference(one: readonly DrawnRow[], other: readonly DrawnRow[]): string | undefined {
  const ids = (rows: readonly DrawnRow[]) => rows.map(({ id }) => id).join(' ');
  if (ids(one) !== ids(other)) return `rows: ${ids(one)}\n  and: ${ids(other)}`;
  for (const [at, { id, html }] of one.entries()) {
    const against = other[at]?.html ?? '';
    if (html === against) continue;
    let from = 0;
    while (html[from] === against[from]) from += 1;
    const part = (text: string) => text.slice(Math.max(0, from - 80), from + 160);
    return `${id} from ${from} of ${html.length}, ${against.length}:\n${part(html)}\n  and:\n${part(against)}`;
  }
  return undefined;
}
