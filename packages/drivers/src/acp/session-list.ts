/**
 * The agent's own sessions (`session/list`), page by page, and the controls for sessions and account, each only if
 * the agent supports it. Stateless.
 */
import { z } from 'zod';
import { type Fields, listOf, recordOf, textAt } from '../kit/fields.ts';
import type { Outcome, Peer } from '../kit/peer.ts';
import type { AgentSession, ControlAnswer, ControlInput } from '../kit/port.ts';
import { requestSessions } from '../kit/session-pages.ts';
import { errorText } from './outcomes.ts';

export function listSessions(peer: Peer, directory: string): Promise<readonly AgentSession[]> {
  return requestSessions(peer, 'session/list', { cwd: directory }, (result) => sessionsIn(result, directory));
}

export function sessionsIn(result: unknown, directory: string): AgentSession[] {
  return listOf(recordOf(result).sessions).flatMap((row) => {
    const id = textAt(row, 'sessionId');
    if (id === undefined || id === '') return [];
    const title = textAt(row, 'title')?.trim();
    const updatedAt = Date.parse(textAt(row, 'updatedAt') ?? '');
    return [
      {
        id,
        directory: textAt(row, 'cwd') ?? directory,
        ...(title ? { title: title.slice(0, 500) } : {}),
        ...(Number.isFinite(updatedAt) && updatedAt >= 0 ? { updatedAt } : {}),
      },
    ];
  });
}

interface Control {
  /** Whether the agent supports it, from the handshake. */
  readonly offered: (capabilities: Fields) => boolean;
  /** Undefined if the input is invalid. */
  readonly call: (
    input: ControlInput,
    session: string,
  ) => { readonly method: string; readonly params: Fields; readonly done: string } | undefined;
}

const title = z.object({ title: z.string().min(1).max(200) });
const other = z.object({ session: z.string().min(1).max(200) });
const sessionCan =
  (what: string) =>
  (capabilities: Fields): boolean =>
    Boolean(recordOf(capabilities.sessionCapabilities)[what]);

const CONTROLS: Readonly<Record<string, Control>> = {
  rename: {
    offered: sessionCan('title'),
    call: (input, sessionId) => {
      const { success, data } = title.safeParse(input);
      if (!success) return undefined;
      const done = `Renamed the session to “${data.title}”.`;
      return { method: 'session/set_title', params: { sessionId, title: data.title }, done };
    },
  },
  'session.delete': {
    offered: sessionCan('delete'),
    call: (input, session) => {
      const { success, data } = other.safeParse(input);
      // The current session must not be deleted.
      if (!success || data.session === session) return undefined;
      const done = 'The agent deleted the session.';
      return { method: 'session/delete', params: { sessionId: data.session }, done };
    },
  },
  'sign-out': {
    offered: ({ auth }) => Boolean(recordOf(auth).logout),
    call: () => ({ method: 'logout', params: {}, done: 'Signed out.' }),
  },
};

/** Names of the supported controls, for the session information. */
export function offeredControls(initialized: unknown): string[] {
  const capabilities = recordOf(recordOf(initialized).agentCapabilities);
  return Object.entries(CONTROLS).flatMap(([name, { offered }]) => (offered(capabilities) ? [name] : []));
}

export function requestControl(
  peer: Peer,
  session: string,
  what: string,
  input: ControlInput,
): Promise<ControlAnswer> {
  const call = Object.hasOwn(CONTROLS, what) ? CONTROLS[what]?.call(input, session) : undefined;
  if (!call) return Promise.resolve({ ok: false, text: 'The agent doesn’t support this request.' });
  return new Promise((resolve) => {
    peer.request(call.method, call.params, ({ error, result }: Outcome) =>
      resolve(error ? { ok: false, text: errorText(error) } : { ok: true, text: call.done, data: result }),
    );
  });
}
