/**
 * The moments at which a host is killed, as scripts of the model. A moment is reached at a hold or when a command has
 * started; the script then continues by itself, so that an agent that outlives its host would be noticed.
 */
import { hold, type Script, text, toolUse } from '@tugdeck/testkit/script';
import { NAME } from './prompts.ts';

export const MOMENTS = ['text', 'tool input', 'command', 'permission', 'subagent', 'between turns'] as const;
export type Moment = (typeof MOMENTS)[number];

export const KILLED_AGENTS = ['claude', 'codex', 'codex-acp'] as const;
export type KilledAgent = (typeof KILLED_AGENTS)[number];
export const isKilledAgent = (name: string): name is KilledAgent => KILLED_AGENTS.some((one) => one === name);

/** Subagents of Codex by ACP are not part of these runs. */
export const momentsOf = (agent: KilledAgent): readonly Moment[] =>
  MOMENTS.filter((moment) => agent !== 'codex-acp' || moment !== 'subagent');
/** Codex offers the tools of subagents to a model that it doesn't know. */
export const CODEX_MODEL = 'gpt-5.4';

/** Commands append their name to this file of the project. */
export const RAN = 'ran.txt';
/** Allowed by a rule. With a second argument it runs until it is killed. */
export const NOTE_SCRIPT = `echo "$1" >> ${RAN}\necho "noted $1"\n[ -z "$2" ] || tail -f ${RAN}\n`;
export const NOTE_FILES: Readonly<Record<string, string>> = { 'note.sh': NOTE_SCRIPT };
export const NOTE_RULE = 'Bash(sh note.sh:*)';

export const keywordOf = (moment: Moment): string => `kill-${moment.replace(' ', '-')}`;
export const CHECK = 'kill-check';

/** Where the model waits until the test has killed the host. */
export const holdOf = (name: string): string => `kill-${name}`;
/** Where the main model waits, if the agent doesn't wait for its subagents. */
export const parentHoldOf = (name: string): string => `kill-parent-${name}`;

export const firstText = (name: string): string => `I begin with ${name}. `;
export const restText = (name: string): string => `This is the rest of the first answer to ${name}.`;

export function killScripts(agent: KilledAgent): Readonly<Record<string, Script>> {
  const command = (words: string, pace = {}) =>
    agent === 'claude'
      ? toolUse('Bash', { command: words, description: 'Note it' }, pace)
      : toolUse('exec_command', { cmd: words, yield_time_ms: 120_000 }, pace);
  const note = (name: string, part: string) => command(`sh note.sh ${name}-${part}`);
  const half = (name: string, first = firstText(name)) =>
    text([first, hold(holdOf(name)), restText(name)], { chunk: 8 });
  const last = (name: string) => text(`That was all of ${name}.`, { chunk: 8 });
  return {
    [keywordOf('text')]: ({ userText }) => {
      const name = nameIn(userText);
      return [[half(name), note(name, 'a')], note(name, 'b'), last(name)];
    },
    [keywordOf('tool input')]: ({ userText }) => {
      const name = nameIn(userText);
      const words = `sh note.sh ${name}-a`;
      const held = agent === 'claude' ? command(words, { chunk: 6, gate: holdOf(name) }) : command(words);
      const parts = agent === 'claude' ? [held] : [hold(holdOf(name)), held];
      return [[text(firstText(name)), ...parts], note(name, 'b'), last(name)];
    },
    [keywordOf('command')]: ({ userText }) => {
      const name = nameIn(userText);
      return [[text(firstText(name)), command(`sh note.sh ${name}-a stay`)], note(name, 'b'), last(name)];
    },
    [keywordOf('permission')]: ({ userText }) => {
      const name = nameIn(userText);
      return [
        [text(firstText(name)), toolUse('Bash', { command: `touch ${name}.txt`, description: 'Make it' })],
        note(name, 'b'),
        last(name),
      ];
    },
    [keywordOf('subagent')]: ({ userText }) => {
      const name = nameIn(userText);
      const prompt = `SCN:kill-child ${name} Look around.`;
      if (agent === 'codex')
        return [
          [text(firstText(name)), toolUse('Agent', { prompt })],
          [hold(parentHoldOf(name)), note(name, 'b')],
          last(name),
        ];
      const start = {
        description: 'Look',
        prompt,
        subagent_type: 'general-purpose',
        run_in_background: false,
      };
      return [[text(firstText(name)), toolUse('Agent', start)], note(name, 'b'), last(name)];
    },
    'kill-child': ({ userText }) => {
      const name = nameIn(userText);
      return [
        note(name, 'c'),
        [half(name, `I look at ${name}. `), note(name, 'd')],
        text(`The subagent saw ${name}.`),
      ];
    },
    [keywordOf('between turns')]: ({ userText }) => {
      const name = nameIn(userText);
      return [[text(firstText(name)), note(name, 'a')], last(name)];
    },
    [CHECK]: ({ userText }) => [text(`Checked ${nameIn(userText)}.`)],
  };
}

/** An agent may repeat earlier text: the last name is the current prompt. */
function nameIn(words: string): string {
  return [...words.matchAll(new RegExp(NAME, 'g'))].at(-1)?.[0] ?? '?';
}
