/** A new session, its first message, its first word on the screen; and how much of that was the agent's own time. */
import { text } from '@tugdeck/testkit/script';
import { installProbe } from './kit/page-probe.ts';
import { begunSession, type Product, send } from './kit/product.ts';

const WORD = 'w00000';

export interface FirstToken {
  /** From the Enter key to the word in the DOM. */
  readonly ms: number;
  /** From the prompt in the agent's stdin to the word on its stdout. */
  readonly agentMs: number;
  /** From the word on its stdout to the DOM: what is ours after the agent. */
  readonly afterAgentMs: number;
}

/** The composer has focus as soon as the session is made, so the agent may be warm by the time of the prompt. */
export async function timeFirstToken(product: Product): Promise<FirstToken> {
  product.fake.script('word', [text(`${WORD} and on`)]);
  const { page, close } = await product.page(installProbe);
  try {
    const session = await begunSession(page);
    await send(page, 'SCN:word');
    const sent = performance.timeOrigin + performance.now();
    await page.waitForFunction(() => window.probe.drawn[0] !== undefined);
    const drawn = await page.evaluate(() => window.probe.drawn[0] ?? Number.NaN);
    const lines = product.rawLines(session);
    const asked = lines.find(({ dir, line }) => dir === 'in' && JSON.stringify(line).includes('SCN:word'));
    const told = lines.find(({ dir, line }) => dir === 'out' && JSON.stringify(line).includes(WORD));
    const toldAt = told?.t ?? Number.NaN;
    return { ms: drawn - sent, agentMs: toldAt - (asked?.t ?? Number.NaN), afterAgentMs: drawn - toldAt };
  } finally {
    await close();
  }
}
