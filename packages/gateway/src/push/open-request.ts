/** A permission that a notification can show whole, and its answer. Speaks to the session as a page does. */
import type { Machine } from '@tugdeck/machine/port';
import type { PermissionEntry } from '@tugdeck/protocol/conversation/entries';
import { pendingRequests } from '@tugdeck/protocol/conversation/state';
import { fromSnapshot } from '@tugdeck/protocol/conversation/window';
import { visibleText } from '@tugdeck/protocol/visible-text';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type HostMessage, hostMessageSchema } from '@tugdeck/protocol/wire/host-link';

export interface ShortRequest {
  readonly entry: string;
  /** Hash of what is shown. */
  readonly shown: string;
  readonly text: string;
}

const PATIENCE_MS = 10_000;
/** Systems cut longer notifications. */
const MAX_TEXT = 120;

/** The only open request, if it is a permission whose input has this text and nothing else. */
export async function shortRequest(machine: Pick<Machine, 'openChannel'>, session: string) {
  const message = await exchange(machine, session, { type: 'follow' }, ({ type }) => type === 'snapshot');
  if (message.type !== 'snapshot') return undefined;
  const [entry, ...others] = pendingRequests(fromSnapshot(message.snapshot));
  return entry?.kind === 'permission' && others.length === 0 ? shortened(entry) : undefined;
}

function shortened({ id, request }: PermissionEntry): ShortRequest | undefined {
  const { fields, input, diff, blockedPath, source, shown, tool } = request;
  const [field, ...others] = fields;
  const isOne = field !== undefined && others.length === 0;
  const inputs = typeof input === 'object' && input !== null ? Object.values(input) : [];
  // The field is the whole input.
  const isAll = inputs.length === 1 && inputs[0] === field?.value;
  if (!isOne || !isAll || diff?.length || blockedPath !== undefined || source !== undefined) return undefined;
  if (typeof field.value !== 'string') return undefined;
  const text = `${tool}: ${field.value}`;
  // Invisible or changed characters, and lines that a system would fold.
  if (text.length > MAX_TEXT || visibleText(text) !== text || /[\n\r\t]| {2}/.test(text)) return undefined;
  return { entry: id, shown, text };
}

export async function answerRequest(
  machine: Pick<Machine, 'openChannel'>,
  session: string,
  { id, entry, shown, behavior }: { id: string; entry: string; shown: string; behavior: 'allow' | 'deny' },
): Promise<void> {
  const answer = { type: 'permission', behavior } as const;
  const command = { kind: 'request.answer', id, entry, shown, answer } as const;
  const reply = await exchange(
    machine,
    session,
    { type: 'command', command },
    (message) => 'command' in message && message.command === id,
  );
  if (reply.type === 'error') throw new CodedError(reply.code, reply.message, reply.hint);
  if (reply.type === 'receipt' && reply.refusal !== undefined)
    throw new CodedError('INVALID_MESSAGE', reply.message ?? 'This request is no longer open.');
}

type Request = Parameters<ReturnType<Machine['openChannel']>['request']>[0];

/** Sends one request and resolves with the message that answers it. */
function exchange(
  machine: Pick<Machine, 'openChannel'>,
  session: string,
  request: Request,
  isAnswer: (message: HostMessage) => boolean,
): Promise<HostMessage> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      channel.close();
      settle();
    };
    const channel = machine.openChannel(session, (messages) => {
      for (const text of messages) {
        const { data } = hostMessageSchema.safeParse(JSON.parse(text));
        if (data && isAnswer(data)) return end(() => resolve(data));
      }
    });
    const timer = setTimeout(
      () => end(() => reject(new CodedError('HOST_UNAVAILABLE', 'The session did not answer.'))),
      PATIENCE_MS,
    );
    channel.opened.then(
      () => channel.request(request),
      (error: unknown) => end(() => reject(error)),
    );
  });
}
