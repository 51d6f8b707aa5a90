/**
 * Signs in through the agent's own flow, as a form. API keys are never entered here, because answers are stored; the
 * agent's command line takes them. Pure.
 */
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { NewEntry } from '@tugdeck/protocol/conversation/entries';
import { contentHash } from '@tugdeck/protocol/ids';
import { recordOf, textAt } from '../kit/fields.ts';

const WAYS = [
  {
    const: 'chatgpt',
    title: 'ChatGPT, in a browser on this machine',
    description: 'Opens a page that completes the sign-in on this machine.',
  },
  {
    const: 'chatgptDeviceCode',
    title: 'ChatGPT, with a code',
    description: 'For a browser on another machine.',
  },
] as const;

export function signInForm(id: string): NewEntry {
  const message = [
    'Codex is not signed in.',
    'With a key: `codex login --with-api-key` in a terminal, then restart the agent.',
  ].join('\n');
  const schema = {
    type: 'object',
    properties: { method: { type: 'string', title: 'Sign-in method', oneOf: WAYS } },
    required: ['method'],
  };
  const shown = contentHash({ message, schema });
  return {
    id,
    kind: 'form',
    status: 'partial',
    request: { status: 'pending', shown, title: 'Sign in', message, schema, raw: WAYS },
  };
}

export function chosenWay(answer: Answer): string | undefined {
  if (answer.type !== 'form' || answer.action !== 'accept') return undefined;
  const chosen = textAt(answer.content, 'method');
  return WAYS.find((way) => way.const === chosen)?.const;
}

/** Instructions for the user. */
export function whereToSignIn(result: unknown): string {
  const { authUrl, verificationUrl, userCode } = recordOf(result);
  if (typeof authUrl === 'string') return `Open ${authUrl} in a browser on this machine.`;
  if (typeof verificationUrl === 'string')
    return `Open ${verificationUrl} and enter the code ${String(userCode)}.`;
  return 'The sign-in has started.';
}

/** Whether a sign-in is required and missing. */
export function needsSignIn(result: unknown): boolean {
  const { account, requiresOpenaiAuth } = recordOf(result);
  return requiresOpenaiAuth === true && (account === null || account === undefined);
}
