/** Keystroke to paint in the composer, idle and while three sessions stream, interleaved on one page. */

import { launchBrowser, newPage } from '@tugdeck/testkit/browser';
import { longAnswer } from '@tugdeck/testkit/long-answer';
import { type Gallery, serveGallery } from '@tugdeck/web/test/gallery/serve-gallery';
import type { Page } from 'playwright-core';
import type { Samples } from '../kit/result.ts';

const KEYS = 40;
const SESSIONS = ['rest', 'failed', 'old'];
export const IDLE = 'keystroke → paint, idle';
export const STREAMING = 'keystroke → paint, three sessions streaminginging';

declare global {
  interface Window {
    strokes: number[];
    streams: ReturnType<typeof setInterval>[];
  }
}

export async function measureTyping(samples: Samples, rounds: number): Promise<void> {
  const gallery: Gallery = await serveGallery();
  const { page, close } = await newPage(await launchBrowser());
  try {
    await page.goto(gallery.url);
    // All three stay open; one of them is in front.
    for (const session of SESSIONS) {
      await page.goto(`${gallery.url}#/session/${session}`);
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
    }
    await watchKeys(page);
    for (let round = 0; round < rounds; round += 1) {
      samples.add(IDLE, 'ms', ...(await type(page)));
      await stream(page, round);
      samples.add(STREAMING, 'ms', ...(await type(page)));
      await page.evaluate(() => window.streams.forEach(clearInterval));
    }
  } finally {
    await close();
    await gallery.close();
  }
}

/** From the key to the first task after the frame that shows it. */
async function watchKeys(page: Page): Promise<void> {
  await page.evaluate(() => {
    window.strokes = [];
    addEventListener(
      'keydown',
      ({ timeStamp }) =>
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => window.strokes.push(performance.now() - timeStamp);
          port2.postMessage(0);
        }),
      true,
    );
  });
}

async function type(page: Page): Promise<number[]> {
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.fill('');
  await page.evaluate(() => {
    window.strokes.length = 0;
  });
  await box.pressSequentially('the quick brown fox jumps over the lazy dog '.slice(0, KEYS), { delay: 45 });
  await page.waitForFunction((count) => window.strokes.length >= count, KEYS);
  return page.evaluate(() => [...window.strokes]);
}

/** As fast as the fastest models: a thousand characters per second in each session. */
async function stream(page: Page, round: number): Promise<void> {
  await page.evaluate(
    ({ sessions, text, number }) => {
      window.streams = sessions.map((session) => {
        const host = window.gallery.host(session);
        const id = `stream-${session}-${number}`;
        host.emit({ kind: 'entry.opened', entry: { kind: 'text', id, status: 'partial', text: '' } });
        let at = 0;
        return setInterval(() => {
          host.stream(id, text.slice(at, at + 16));
          at = (at + 16) % text.length;
        }, 16);
      });
    },
    { sessions: SESSIONS, text: longAnswer, number: round },
  );
}
