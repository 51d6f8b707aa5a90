/**
 * Runs in the browser: streams a text as deltas over a fixed time into our view or into the reference, which only
 * appends plain text to paragraphs. One render per animation frame, scrolled to the end, as in the app.
 */
import { createMarkdownView } from '@tugdeck/web/features/markdown/markdown-view';

export interface StreamRun {
  readonly frames: number;
  readonly dropped: number;
}

interface Sink {
  append(text: string): void;
}

function plainText(root: HTMLElement): Sink {
  let text: Text | undefined;
  let held = '';
  return {
    append(delta) {
      const parts = (held + delta).split('\n\n');
      held = '';
      parts.forEach((part, index) => {
        if (text === undefined || index > 0) {
          const paragraph = document.createElement('p');
          text = document.createTextNode('');
          paragraph.append(text);
          root.append(paragraph);
        }
        // A newline at the very end may be the first half of a blank line.
        const isCut = index === parts.length - 1 && part.endsWith('\n');
        if (isCut) held = '\n';
        text.appendData(isCut ? part.slice(0, -1) : part);
      });
    },
  };
}

const FRAME_MS = 1_000 / 60;

async function stream(
  kind: 'view' | 'plain',
  text: string,
  deltas: number,
  seconds: number,
): Promise<StreamRun> {
  const scroller = document.createElement('main');
  const root = document.createElement('article');
  root.className = 'markdown';
  scroller.append(root);
  document.body.replaceChildren(scroller);
  const sink = kind === 'view' ? createMarkdownView(root) : plainText(root);
  const size = text.length / deltas;
  const started = performance.now();
  let at = 0;
  let frames = 0;
  let dropped = 0;
  let before: number | undefined;
  await new Promise<void>((done) => {
    const frame = (now: number) => {
      frames += 1;
      if (before !== undefined) dropped += Math.max(0, Math.round((now - before) / FRAME_MS) - 1);
      before = now;
      const arrived = Math.min(
        deltas,
        Math.floor(((performance.now() - started) / (seconds * 1_000)) * deltas),
      );
      const end = arrived === deltas ? text.length : Math.round(arrived * size);
      if (end > at) {
        sink.append(text.slice(at, end));
        at = end;
        scroller.scrollTop = scroller.scrollHeight;
      }
      if (at < text.length) requestAnimationFrame(frame);
      else done();
    };
    requestAnimationFrame(frame);
  });
  return { frames, dropped };
}

const streamingPage = { stream };

declare global {
  interface Window {
    streamingPage: typeof streamingPage;
  }
}

window.streamingPage = streamingPage;
