/** `tugdeck attempts` (B37): starts several agents on one prompt, lists and compares them, and chooses one. */
import { randomUUID } from 'node:crypto';
import {
  ATTEMPTS,
  type AttemptsRow,
  type ComparedAttempts,
  roomText,
} from '@tugdeck/protocol/attempts/attempts';
import { visibleText } from '@tugdeck/protocol/visible-text';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { UsageError } from '../command-line.ts';
import type { Command, Context } from './context.ts';
import { callServer } from './workspace-server.ts';

const EXIT = { done: 0, refused: 3 } as const;
const REFUSED = new Set(['WORKSPACE_BUSY', 'WORKSPACE_UNSAFE', 'WORKSPACE_MISSING', 'NOT_CONFIRMED']);

export const attempts: Command = async (context) => {
  const { values, arguments: words } = context.line;
  if (values.compare !== undefined) return compare(context, values.compare);
  if (values.choose !== undefined) return choose(context, values.choose);
  if (words.length === 0 && values.agents === undefined) return list(context);
  return start(context, words.join(' '), values.agents);
};

async function list(context: Context): Promise<number> {
  const { attempts: groups = [] } = await callServer(context, { act: 'attempts.list' });
  if (context.line.flags.has('json')) context.print(JSON.stringify(groups));
  else for (const group of groups) context.print(lineOf(group));
  return EXIT.done;
}

async function start(context: Context, text: string, agents: string | undefined): Promise<number> {
  if (text.trim() === '') throw new UsageError('attempts needs a TEXT');
  if (agents === undefined) throw new UsageError('attempts needs --agents, a list such as NAME,NAME:MODEL');
  const chosen = agents.split(',').map(agentOf);
  if (chosen.length < ATTEMPTS.least || chosen.length > ATTEMPTS.most)
    throw new UsageError(
      `attempts starts ${ATTEMPTS.least} to ${ATTEMPTS.most} agents, not ${chosen.length}`,
    );
  const { room } = await callServer(context, { act: 'attempts.list' });
  const waits = room && roomText(chosen.length, room);
  if (waits !== undefined) context.note(waits);
  const { base } = context.line.values;
  const { attempts: groups = [] } = await callServer(context, {
    act: 'attempts.start',
    request: {
      id: randomUUID(),
      prompt: { kind: 'prompt.send', id: randomUUID(), text },
      ...(base === undefined ? {} : { base }),
      attempts: chosen.map((one) => ({ session: randomUUID(), workspace: randomUUID(), ...one })),
    },
  });
  const [group] = groups;
  if (!group) throw new CodedError('INTERNAL_ERROR');
  if (context.line.flags.has('json')) context.print(JSON.stringify(group));
  else {
    context.print(group.id);
    for (const [index, { session, agent, model }] of group.attempts.entries())
      context.print(visibleText([letter(index), agent, model ?? '', session].join('\t')));
  }
  return EXIT.done;
}

/** A model can contain a colon. */
function agentOf(text: string): { agent: string; model?: string } {
  const [, agent = '', model] = /^([^:]*)(?::(.*))?$/s.exec(text.trim()) ?? [];
  if (agent === '') throw new UsageError('--agents: a name is empty');
  return { agent, ...(model ? { model } : {}) };
}

async function compare(context: Context, group: string): Promise<number> {
  const { attempts: groups = [], compared } = await callServer(context, { act: 'attempts.compare', group });
  const [row] = groups;
  if (!row || !compared) throw new CodedError('INTERNAL_ERROR');
  if (context.line.flags.has('json')) {
    context.print(JSON.stringify({ ...row, ...compared }));
    return EXIT.done;
  }
  for (const line of table(row, compared)) context.print(visibleText(line));
  return EXIT.done;
}

function table({ attempts: all }: AttemptsRow, { attempts: figures, files }: ComparedAttempts): string[] {
  const nameOf = (session: string) => letter(all.findIndex((one) => one.session === session));
  return [
    ...all.map(({ session, agent, model, isWaiting, fault }, index) => {
      const own = figures.find((one) => one.session === session);
      const changed =
        own?.files === undefined
          ? '-'
          : `${own.files} ${own.files === 1 ? 'file' : 'files'} +${own.added ?? 0} -${own.removed ?? 0}`;
      const state = fault ?? (isWaiting ? 'waiting' : changed);
      return [
        letter(index),
        [agent, model].filter(Boolean).join(':'),
        state,
        checkText(own?.check),
        session,
      ].join('\t');
    }),
    ...files.map(({ path, by }) => `${by.map(nameOf).join('')}\t${path}`),
  ];
}

function checkText(check: ComparedAttempts['attempts'][number]['check']): string {
  if (!check) return '-';
  if (check.state === 'running') return 'check running';
  const old = check.isOld ? ' (files changed since)' : '';
  if (check.code === undefined) return `check stopped${old}`;
  return `${check.code === 0 ? 'check passed' : `check failed: ${check.code}`}${old}`;
}

async function choose(context: Context, attempt: string): Promise<number> {
  const confirmed = context.line.flags.has('yes');
  try {
    const { attempts: groups = [] } = await callServer(context, {
      act: 'attempts.choose',
      attempt,
      confirmed,
    });
    for (const group of groups) context.print(lineOf(group));
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof CodedError) || !REFUSED.has(error.code)) throw error;
    const hint =
      error.code === 'NOT_CONFIRMED' ? ' The other attempts are archived: confirm with --yes.' : '';
    context.note(visibleText(`tugdeck: ${error.message} (${error.code})${hint}`));
    return EXIT.refused;
  }
}

function lineOf({ id, title, attempts: all, base, baseCommit, chosen }: AttemptsRow): string {
  const from = `from ${[base, baseCommit.slice(0, 8)].filter(Boolean).join(' ')}`;
  const index = all.findIndex(({ session }) => session === chosen);
  const state = index === -1 ? `${all.length} attempts` : `chosen: ${letter(index)}`;
  return visibleText([id, state, from, title].join('\t'));
}

/** As the page names them. */
function letter(index: number): string {
  return String.fromCharCode(65 + index);
}
