// Building blocks of the recorded flows: tools, hooks and answers.
import { toolUse } from '../script.ts';
import type { RawLine, Recorder } from './recorder.ts';

export const bash = (command: string, more: Readonly<Record<string, unknown>> = {}) =>
  toolUse('Bash', { command, description: 'A command', ...more });

export const agent = (prompt: string, background: boolean) =>
  toolUse('Agent', {
    description: prompt.slice(4),
    prompt,
    subagent_type: 'general-purpose',
    run_in_background: background,
  });

export const hook = (command: string, matcher = '') => [{ matcher, hooks: [{ type: 'command', command }] }];

export const settings = (value: object): Readonly<Record<string, string>> => ({
  '.claude/settings.json': JSON.stringify(value),
});

/** A command that runs until the file `go.txt` exists. */
export const UNTIL_GO = 'touch begun.txt; while [ ! -e go.txt ]; do sleep 0.05; done';

export const INTERRUPT = { subtype: 'interrupt' } as const;

/** Answers every request as it arrives, until the turn ends. */
export async function answerAll(
  recorder: Recorder,
  response: (request: RawLine) => Readonly<Record<string, unknown>>,
): Promise<void> {
  const answered = new Set<string>();
  const isNext = (line: RawLine): boolean =>
    line.type === 'result' || (line.type === 'control_request' && !answered.has(line.request_id));
  for (;;) {
    const line = await recorder.until(isNext);
    if (line.type === 'result') return;
    answered.add(line.request_id);
    recorder.answer(line, response(line.request));
  }
}

export const allowed = (request: RawLine) => ({ behavior: 'allow', updatedInput: request.input });
