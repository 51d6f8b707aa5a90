/**
 * Puts what another app shared into the draft of a new session (N51). Nothing is sent: any page can make the browser open
 * the share address, so the user reads it first.
 */
import type { Client } from '@tugdeck/client/client';
import { trayOf } from '../../features/attachments/tray.ts';
import { addToPrompt } from '../../features/prompt/add-to-prompt.ts';
import { isLimited } from '../../kit/limited.ts';
import { newSession } from '../../kit/new-session.ts';
import { showSession } from '../../kit/route.ts';

/** As in `worker/shared-files.ts`. */
const SHARED = 'tugdeck-shared';

export async function takeShared(client: Client): Promise<void> {
  history.replaceState(history.state, '', `/${location.hash}`);
  if (!(await caches.has(SHARED))) return;
  const cache = await caches.open(SHARED);
  const text = (await (await cache.match('/shared/text'))?.text()) ?? '';
  const files: File[] = [];
  for (const request of await cache.keys()) {
    if (!new URL(request.url).pathname.startsWith('/shared/file-')) continue;
    const answer = await cache.match(request);
    if (answer) files.push(await fileOf(answer));
  }
  await caches.delete(SHARED);
  if (isLimited.get() || (text === '' && files.length === 0)) return;
  await whenOnline(client);
  await newSession(client, {
    show(session) {
      if (files.length > 0) trayOf(session).add(files);
      if (text !== '') addToPrompt(client, session, text);
      showSession(session);
    },
  });
}

async function fileOf(answer: Response): Promise<File> {
  const name = decodeURIComponent(answer.headers.get('x-name') ?? 'file');
  return new File([await answer.blob()], name, { type: answer.headers.get('content-type') ?? '' });
}

function whenOnline(client: Client): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (client.status.get().state !== 'online') return;
      off();
      resolve();
    };
    const off = client.status.subscribe(check);
    check();
  });
}
