/**
 * Simulates two hours of answers in a few minutes, through the whole product: the page's memory must not grow with
 * them.
 */
import { longAnswer } from '@tugdeck/testkit/long-answer';
import { text } from '@tugdeck/testkit/script';
import { installProbe } from '../kit/page-probe.ts';
import { firstSession, Product, send, waitForTurnEnd } from '../kit/product.ts';
import { type PageMemory, pageMemory } from './page-memory.ts';

/** At fifty words per second, two hours are about 2 MB of text: twelve parts of six answers of 30 KB. */
const PARTS = 12;

export async function measureHours(answers: number): Promise<{ first: PageMemory; last: PageMemory }> {
  const product = await Product.prepare();
  try {
    await product.start();
    const { page } = await product.page(installProbe);
    await firstSession(page);
    product.fake.script('hours', [text(longAnswer.slice(0, 30_000), { chunk: 60 })]);
    const seen: PageMemory[] = [];
    let lastId: string | undefined;
    for (let part = 0; part < PARTS; part += 1) {
      for (let answer = 0; answer < answers; answer += 1) {
        await send(page, `SCN:hours ${part}.${answer}`);
        // Answers are fast and their prompts soon scroll away, so wait for the last entry.
        const last = await page.waitForFunction((before) => {
          const { entryId, entryKind, status } =
            [...document.querySelectorAll<HTMLElement>('[role="log"] article')].at(-1)?.dataset ?? {};
          return entryId !== before && entryKind === 'text' && status === 'complete' ? entryId : undefined;
        }, lastId);
        lastId = await last.jsonValue();
        await waitForTurnEnd(page);
      }
      seen.push(await pageMemory(page));
    }
    const [first] = seen;
    const last = seen.at(-1);
    if (!first || !last) throw new Error('nothing was measured');
    return { first, last };
  } finally {
    await product.close();
  }
}
