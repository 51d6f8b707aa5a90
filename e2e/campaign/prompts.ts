/**
 * The prompts of a campaign and their expected outcomes. Each prompt has a unique one-word name, so that the witness in
 * front of the agent, the model, the command and the search index can count it.
 */
import { attempts, cut, failure, type Script, streamError, text, toolUse } from '@tugdeck/testkit/script';

/** `claude`: the real one with a scripted model. `demo`: the demo agent, which answers by itself. */
export const CAST = ['claude', 'demo'] as const;
export type Cast = (typeof CAST)[number];

/** `run` needs a permission. `trouble`: the model's API fails first. `garbage`: the agent's output is corrupted. */
export const PROMPT_KINDS = ['talk', 'run', 'trouble', 'garbage'] as const;
export type PromptKind = (typeof PROMPT_KINDS)[number];

export const GARBAGE = ['torn', 'huge', 'utf8', 'unknown', 'deep'] as const;
export type Garbage = (typeof GARBAGE)[number];

/** Commands append the name of their prompt to this file of the project. */
export const RAN = 'ran.txt';
export const NAME = /\bn[0-9a-f]{8}x\d+\b/;

export interface Words {
  readonly name: string;
  readonly kind: PromptKind;
  readonly text: string;
}

export const promptName = (session: string, number: number): string => `n${session.slice(0, 8)}x${number}`;

const commandOf = (name: string): string => `echo ${name} >> ${RAN}`;

export function wordsFor(cast: Cast, kind: PromptKind, name: string, garbage: Garbage): Words {
  if (kind === 'run') {
    return { name, kind, text: cast === 'demo' ? `run ${commandOf(name)}` : `SCN:campaign-run ${name}` };
  }
  if (kind === 'garbage') return { name, kind, text: `SCN:campaign ${name} garbage:${garbage}` };
  // The demo agent has no model that could fail.
  if (kind === 'trouble' && cast === 'claude') return { name, kind, text: `SCN:campaign-trouble ${name}` };
  return { name, kind: 'talk', text: `SCN:campaign ${name}` };
}

/** The texts of a complete answer to this prompt. */
export function answersTo(cast: Cast, { kind, name, text: said }: Words): readonly string[] {
  if (cast === 'claude') return [modelAnswer(name)];
  if (kind === 'run')
    return ['The command finished.', 'Okay, I didn’t run it.', 'The command failed with exit code 2.'];
  return [
    `You said “${said}”. I’m only the **demo agent**. There’s no model behind me, so I can’t answer that.\n\nBut everything I do is real: I *edit files*, *run commands*, *ask questions* and more, right here in your project. Try:\n\n- \`tour\` to see every feature in one minute\n- \`run ls\` to run a command\n- \`help\` to list all commands`,
  ];
}

export function modelAnswer(name: string): string {
  return Array.from({ length: 40 }, (_, at) => `Line ${at + 1} for ${name}, with **some** \`form\`.`).join(
    '\n',
  );
}

/** The scripted model's answers, by the prompt's keyword. */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  campaign: ({ userText }) => [spoken(userText)],
  'campaign-run': ({ userText }) => [
    toolUse('Bash', { command: commandOf(lastName(userText)), description: 'Notes that it ran' }),
    spoken(userText),
  ],
  'campaign-trouble': ({ userText }) => {
    const half = modelAnswer(lastName(userText)).slice(0, 400);
    return [
      attempts(
        failure(529, { retryAfter: 0 }),
        text([half, cut()], { chunk: 80 }),
        text([half, streamError()], { chunk: 80 }),
        spoken(userText),
      ),
    ];
  },
};

function spoken(userText: string) {
  return text(modelAnswer(lastName(userText)), { chunk: 80, delayMs: 5 });
}

/** An agent may repeat earlier text: the last name is the current prompt. */
function lastName(words: string): string {
  return [...words.matchAll(new RegExp(NAME, 'g'))].at(-1)?.[0] ?? '?';
}
