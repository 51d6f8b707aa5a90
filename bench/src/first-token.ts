/** Time from a new session's first message to the first word on the screen, and the agent's share of it. */
import { setTimeout as delay } from 'node:timers/promises';
import { text } from '@tugdeck/testkit/script';
import { installProbe } from './kit/page-probe.ts';
import { firstSession, type Product, send } from './kit/product.ts';

const WORD = 'w00000';

export interface FirstToken {
  /** From the Enter key to the word in the DOM. */
  readonly ms: number;
  /** From the prompt on the agent's stdin to the word on its stdout. */
  readonly agentMs: number;
  /** From the word on the agent's stdout to the DOM: our share after the agent. */
  readonly afterAgentMs: number;
}

/**
 * The composer has focus as soon as the session exists, so the agent may already be started at the time of the
 * prompt.
 */
export async function timeFirstToken(product: Product): Promise<FirstToken> {
  product.fake.script('word', [text(`${WORD} and on`)]);
  const { page, close } = await product.page(installProbe);
  try {
    const session = await firstSession(page);
    await send(page, 'SCN:word');
    const sent = performance.timeOrigin + performance.now();
    await page.waitForFunction(() => window.probe.drawn[0] !== undefined);
    const drawn = await page.evaluate(() => window.probe.drawn[0] ?? Number.NaN);
    const promptAt = await recorded(product, session, 'in', 'SCN:word');
    const wordAt = await recorded(product, session, 'out', WORD);
    return { ms: drawn - sent, agentMs: wordAt - promptAt, afterAgentMs: drawn - wordAt };
  } finally {
    await close();
  }
}

/** The time of the first line with this word; it is recorded with a delay. */
async function recorded(product: Product, session: string, way: 'in' | 'out', word: string): Promise<number> {
  for (;;) {
    const lines = product.rawLines(session);
    const found = lines.find(({ dir, line }) => dir === way && JSON.stringify(line).includes(word));
    if (found) return found.t;
    await delay(20);
  }
}
