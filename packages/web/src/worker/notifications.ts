/**
 * Notifications of an installed page (N52): what the server sent, a click that opens the session, and buttons that answer a
 * short permission with a proof of this browser's sign-in.
 */
import { openCredentialStore } from '@tugdeck/client/credentials';
import { requestProofText, writeAuthorization } from '@tugdeck/protocol/wire/proof-text';
import { type NotificationEvent, type PushEvent, scope } from './worker-scope.ts';

/** A press that was meant for something else comes earlier. */
const MIN_AGE_MS = 1_000;
const ANSWERS = [
  { action: 'allow', title: 'Allow' },
  { action: 'deny', title: 'Deny' },
];

interface Shown {
  readonly session?: string;
  readonly request?: { readonly entry: string; readonly shown: string };
  readonly at: number;
}

interface Message extends Omit<Shown, 'at'> {
  readonly title: string;
  readonly body: string;
}

/** Browsers require a notification for each message. */
export async function showMessage({ data }: Pick<PushEvent, 'data'>): Promise<void> {
  const { title, body, session, request } = messageOf(data?.text());
  const shown: Shown = { ...(session ? { session } : {}), ...(request ? { request } : {}), at: Date.now() };
  await scope.registration.showNotification(title, {
    body,
    icon: '/icon-192.png',
    badge: '/icon-192.png',
    data: shown,
    ...(session ? { tag: session, renotify: true } : {}),
    ...(request ? { actions: ANSWERS } : {}),
  });
}

function messageOf(text: string | undefined): Message {
  const none = { title: 'Tugdeck', body: 'Something needs you' };
  try {
    const value = JSON.parse(text ?? '') as Partial<Message>;
    const { title, body, session, request } = value;
    if (typeof title !== 'string' || typeof body !== 'string') return none;
    return {
      title,
      body,
      ...(typeof session === 'string' ? { session } : {}),
      ...(typeof request?.entry === 'string' && typeof request.shown === 'string' ? { request } : {}),
    };
  } catch {
    return none;
  }
}

export async function pressed({ action, notification }: NotificationEvent): Promise<void> {
  const { session, request, at } = notification.data as Shown;
  const isAnswer = action === 'allow' || action === 'deny';
  // A hasty press opens the request instead.
  if (isAnswer && session !== undefined && request && Date.now() - at >= MIN_AGE_MS) {
    notification.close();
    if (await answer(session, request, action)) return;
  }
  notification.close();
  await openSession(session);
}

async function openSession(session: string | undefined): Promise<void> {
  const address = session === undefined ? '/' : `/#/session/${encodeURIComponent(session)}`;
  const pages = await scope.clients.matchAll({ type: 'window' });
  const [page] = pages.filter(({ url }) => new URL(url).pathname === '/');
  if (page) {
    await page.focus();
    page.postMessage({ type: 'open', session });
  } else await scope.clients.openWindow(address);
}

/** Whether the server took it. The proof covers the whole address. */
async function answer(session: string, request: { entry: string; shown: string }, behavior: string) {
  const path = `/api/answer?${new URLSearchParams({ session, ...request, behavior })}`;
  try {
    const credentials = await openCredentialStore(indexedDB).read();
    if (!credentials) return false;
    const { signIn, instance, mac } = credentials;
    const signed = { method: 'POST', path, at: Date.now() };
    const text = requestProofText({ instance, origin: scope.location.origin, signIn }, signed);
    const authorization = writeAuthorization(signIn, signed.at, await mac(text));
    const reply = await fetch(path, { method: 'POST', headers: { authorization }, credentials: 'omit' });
    return reply.ok;
  } catch {
    return false;
  }
}
