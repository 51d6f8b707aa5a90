/**
 * The agent's sign-in methods as a form. Terminal methods are only described to the user, never sent to the agent.
 * Pure.
 */
import type { Answer } from '@tugdeck/protocol/conversation/commands';
import type { NewEntry } from '@tugdeck/protocol/conversation/entries';
import { contentHash } from '@tugdeck/protocol/ids';
import { listOf, recordOf, textAt } from '../kit/fields.ts';

interface Method {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly inTerminal: boolean;
}

/** Unknown kinds of methods are offered like any other. */
export function methodsOf(initialized: unknown): Method[] {
  return listOf(recordOf(initialized).authMethods).flatMap((method) => {
    const id = textAt(method, 'id');
    if (id === undefined) return [];
    return [
      {
        id,
        name: textAt(method, 'name') ?? id,
        description: textAt(method, 'description') ?? '',
        inTerminal: textAt(method, 'type') === 'terminal',
      },
    ];
  });
}

export function signInForm(id: string, methods: readonly Method[], hint: string | undefined): NewEntry {
  const direct = methods.filter(({ inTerminal }) => !inTerminal);
  const lines = [
    'The agent wants you to sign in.',
    ...methods
      .filter(({ inTerminal }) => inTerminal)
      .map(({ name, description }) => `${name} (in a terminal): ${description}`),
    ...(hint === undefined ? [] : [`In a terminal: \`${hint}\`, then restart the agent.`]),
  ];
  const schema = {
    type: 'object',
    properties: {
      method: {
        type: 'string',
        title: 'Sign-in method',
        oneOf: direct.map(({ id: value, name, description }) => ({
          const: value,
          title: name,
          ...(description === '' ? {} : { description }),
        })),
      },
    },
    required: ['method'],
  };
  return {
    id,
    kind: 'form',
    status: 'partial',
    request: {
      status: 'pending',
      shown: contentHash({ methods, lines }),
      title: 'Sign in',
      message: lines.join('\n'),
      ...(direct.length === 0 ? {} : { schema }),
      raw: methods,
    },
  };
}

/** The chosen method; undefined if it cannot be sent. */
export function chosenMethod(answer: Answer, methods: readonly Method[]): string | undefined {
  if (answer.type !== 'form' || answer.action !== 'accept') return undefined;
  const direct = methods.filter(({ inTerminal }) => !inTerminal);
  const chosen = textAt(answer.content, 'method') ?? (direct.length === 1 ? direct[0]?.id : undefined);
  return direct.find(({ id }) => id === chosen)?.id;
}
