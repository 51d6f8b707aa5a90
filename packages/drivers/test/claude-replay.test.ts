import { readdirSync, readFileSync } from 'node:fs';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import { changeBodySchema } from '@tugdeck/protocol/conversation/changes';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { fold, foldAppend } from '@tugdeck/protocol/conversation/fold';
import { NO_USAGE } from '@tugdeck/protocol/conversation/session-info';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { describe, expect, test } from 'vitest';
import { claudeReplay } from '../src/claude/replay-parts.ts';
import type { Output } from '../src/kit/port.ts';
import type { ReplayDriver, ReplayOutput } from '../src/kit/replay.ts';
import { replay } from '../src/kit/replay.ts';
import { replayFile } from '../src/known-drivers.ts';

const FIXTURES = new URL('../src/claude/fixtures/', import.meta.url);
const names = readdirSync(FIXTURES)
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => file.replace('.jsonl', ''));

function linesOf(name: string): string[] {
  return readFileSync(new URL(`${name}.jsonl`, FIXTURES), 'utf8').split('\n');
}

const replayed = new Map<string, ReplayOutput>();
function outputOf(name: string): ReplayOutput {
  const known = replayed.get(name) ?? replayFile('claude', linesOf(name));
  replayed.set(name, known);
  return known;
}

/** One line per entry: kind, status, tool state, and the beginning of its text. */
function outline({ entries }: ReplayOutput): string[] {
  return entries.map(({ kind, status, state, toolKind, text, title, parent }) => {
    const said = String(kind === 'tool' || kind === 'permission' ? title : (text ?? '')).slice(0, 40);
    const tool = kind === 'tool' ? ` ${toolKind}/${state}` : '';
    return `${parent === undefined ? '' : '> '}${kind} ${status}${tool}${said === '' ? '' : `: ${said}`}`;
  });
}

const ends = ({ turns }: ReplayOutput): string[] =>
  turns.map(({ origin, endedBy }) => `${origin} ${endedBy}`);

const HELLO = 'text complete: Hello! This is a scripted answer with se';
const BASH = 'Bash: touch made-by-bash.txt && echo hel';
const ASK = 'permission complete: Run this command?';

interface Golden {
  readonly name: string;
  readonly rule: string;
  readonly entries: readonly string[];
  readonly turns?: readonly string[];
  readonly requests?: readonly unknown[];
}

const allowed = { status: 'answered', answer: { type: 'permission', behavior: 'allow' } };

const GOLDEN: readonly Golden[] = [
  { name: 'text-plain', rule: 'A4', entries: ['user complete: Hi SCN:hello', HELLO] },
  {
    name: 'thinking',
    rule: 'A4',
    entries: [
      'user complete: Please do SCN:think',
      'thinking complete: Let me think about this carefully. The u',
      'text complete: Here is the answer after thinking.',
    ],
  },
  {
    name: 'bash-allow',
    rule: 'A3',
    entries: [
      'user complete: Please do SCN:bash',
      'text complete: I will run a command.',
      `tool complete shell/done: ${BASH}`,
      ASK,
      'text complete: The command ran.',
    ],
    requests: [allowed],
  },
  {
    name: 'bash-deny',
    rule: 'A3',
    entries: [
      'user complete: Please do SCN:bash',
      'text complete: I will run a command.',
      `tool failed shell/denied: ${BASH}`,
      ASK,
      'text complete: The command ran.',
    ],
    requests: [{ answer: { type: 'permission', behavior: 'deny', message: 'Not now, please.' } }],
  },
  {
    name: 'bash-allow-updated-input',
    rule: 'A3',
    entries: [
      'user complete: Please do SCN:bash',
      'text complete: I will run a command.',
      'tool complete shell/done: Bash: echo changed-by-host',
      ASK,
      'text complete: The command ran.',
    ],
    requests: [{ answer: { behavior: 'allow', input: { command: 'echo changed-by-host' } } }],
  },
  {
    name: 'bash-allow-always',
    rule: 'A3',
    entries: [
      'user complete: Please SCN:bash',
      'text complete: I will run a command.',
      `tool complete shell/done: ${BASH}`,
      ASK,
      'notice complete: Mode: Accept edits',
      'text complete: The command ran.',
      'user complete: Again SCN:bash',
      'text complete: I will run a command.',
      `tool complete shell/done: ${BASH}`,
      'text complete: The command ran.',
    ],
    turns: ['user completed', 'user completed'],
    requests: [{ answer: { behavior: 'allow', option: 'always-0' } }],
  },
  {
    name: 'edit',
    rule: 'A5',
    entries: [
      'user complete: Please do SCN:edit',
      'tool complete read/done: Read: /home/dev/project/exist.txt',
      'tool complete edit/done: Edit: /home/dev/project/exist.txt',
      'permission complete: Change /home/dev/project/exist.txt?',
      'text complete: Edited it.',
    ],
  },
  {
    name: 'parallel-tools',
    rule: 'A5',
    entries: [
      'user complete: Please do SCN:parallel',
      'text complete: Three at once.',
      'tool complete read/done: Read: /home/dev/project/exist.txt',
      'tool complete shell/done: Bash: touch par-a.txt',
      'tool complete shell/done: Bash: touch par-b.txt',
      ASK,
      ASK,
      'text complete: All three done.',
    ],
    requests: [allowed, allowed],
  },
  {
    name: 'interrupt-mid-text',
    rule: 'H8',
    entries: [
      'user complete: Go SCN:slow',
      'text cancelled: word0 word1 word2 wor',
      'notice complete: Interrupted.',
      'user complete: Again SCN:hello',
      HELLO,
    ],
    turns: ['user cancelled', 'user completed'],
  },
  {
    name: 'interrupt-mid-thinking',
    rule: 'M13',
    entries: ['user complete: Go SCN:slowthink', 'thinking cancelled', 'notice complete: Interrupted.'],
    turns: ['user cancelled'],
  },
  {
    name: 'interrupt-permission-pending',
    rule: 'H8',
    entries: [
      'user complete: Go SCN:bash',
      'text complete: I will run a command.',
      `tool cancelled shell/interrupted: ${BASH}`,
      'permission cancelled: Run this command?',
      'notice complete: Interrupted while a tool was waiting or ',
      'user complete: Again SCN:hello',
      HELLO,
    ],
    turns: ['user cancelled', 'user completed'],
    requests: [{ status: 'withdrawn' }],
  },
  {
    name: 'interrupt-tool-running',
    rule: 'H8',
    entries: [
      'user complete: Go SCN:looplong',
      'tool cancelled shell/interrupted: Bash: i=0; while [ $i -lt 40 ]; do echo ',
      ASK,
      'notice complete: Interrupted while a tool was waiting or ',
      'user complete: Again SCN:hello',
      HELLO,
    ],
    turns: ['user cancelled', 'user completed'],
  },
  {
    name: 'question-multi-comma-space',
    rule: 'M13',
    entries: [
      'user complete: Please do SCN:askmulti',
      'question complete',
      'text complete: Thanks for the answers.',
    ],
    requests: [
      {
        kind: 'question',
        answer: { answers: { q1: { choices: ['Auth', 'Dark mode'] }, q2: { choices: ['SQLite'] } } },
      },
    ],
  },
  {
    name: 'question-deny',
    rule: 'M13',
    entries: [
      'user complete: Please do SCN:ask1',
      'question complete',
      'text complete: Thanks for the answer.',
    ],
    requests: [{ kind: 'question', status: 'answered' }],
  },
  {
    name: 'plan-approve',
    rule: 'M13',
    entries: [
      'user complete: Make a plan SCN:plan',
      'tool complete search/done: ToolSearch: select:ExitPlanMode',
      'plan complete: # Plan\n1. Do A\n2. Do B',
      'notice complete: Mode: Ask',
      'tool complete edit/done: Write: /home/dev/project/plan-result.txt',
      'permission complete: Write /home/dev/project/plan-result.txt?',
      'text complete: Plan executed.',
    ],
    requests: [{ kind: 'plan', answer: { approve: true } }, allowed],
  },
  {
    name: 'plan-reject',
    rule: 'M13',
    entries: [
      'user complete: Make a plan SCN:plan',
      'tool complete search/done: ToolSearch: select:ExitPlanMode',
      'plan complete: # Plan\n1. Do A\n2. Do B',
      'tool complete edit/done: Write: /home/dev/project/plan-result.txt',
      'permission complete: Write /home/dev/project/plan-result.txt?',
      'text complete: Plan executed.',
    ],
    requests: [{ answer: { approve: false, message: 'Please add tests to the plan.' } }, allowed],
  },
  {
    name: 'subagent-foreground-forwarded',
    rule: 'A5',
    entries: [
      'user complete: Please do SCN:sub',
      'text complete: Starting a helper.',
      'tool complete agent/done: Agent: Look around',
      '> thinking complete: Subagent thinking.',
      '> text complete: Helper: reading.',
      '> tool complete read/done: Read: /home/dev/project/exist.txt',
      '> tool complete shell/done: Bash: touch by-sub.txt',
      '> permission complete: Run this command?',
      '> text complete: Helper final report: the file has three ',
      'text complete: The helper reported back.',
    ],
  },
  {
    name: 'text-queued',
    rule: 'A3',
    entries: [
      'user complete: One SCN:slow',
      'text complete: word0 word1 word2 word3 word4 word5 word',
      'user complete: Two SCN:hello',
      'user complete: Three SCN:second',
      'text complete: This is the second answer.',
    ],
    turns: ['user completed', 'user completed'],
  },
  {
    name: 'bash-background',
    rule: 'A3',
    entries: [
      'user complete: Please SCN:bashbg',
      'tool complete shell/done: Bash: for i in 1 2 3; do echo bg $i; sle',
      ASK,
      'text complete: Started in background.',
      'text complete: Started in background.',
    ],
    turns: ['user completed', 'agent completed'],
  },
  {
    name: 'error-400',
    rule: 'A8',
    entries: ['user complete: Please SCN:e400', 'notice complete: API Error: 400 scripted invalid request'],
    turns: ['user error'],
  },
  {
    name: 'error-429-retry',
    rule: 'A8',
    entries: [
      'user complete: Please SCN:e429',
      'notice complete: No answer: too many requests (429). Tryi',
      'notice complete: No answer: too many requests (429). Tryi',
      'text complete: After two 429s.',
    ],
  },
  {
    name: 'error-401',
    rule: 'A8',
    entries: [
      'user complete: Please SCN:e401',
      'notice complete: No answer: not signed in, or the key is ',
      'notice complete: Invalid API key · Fix external API key',
    ],
    turns: ['user error'],
  },
  {
    name: 'read',
    rule: 'A5',
    entries: [
      'user complete: Please do SCN:read',
      'tool complete read/done: Read: /home/dev/project/exist.txt',
      'text complete: Read it.',
    ],
  },
  {
    name: 'text-two-turns',
    rule: 'A4',
    entries: [
      'user complete: Hi SCN:hello',
      HELLO,
      'user complete: More SCN:second',
      'text complete: This is the second answer.',
    ],
    turns: ['user completed', 'user completed'],
  },
  {
    name: 'question-single',
    rule: 'M13',
    entries: [
      'user complete: Please do SCN:ask1',
      'question complete',
      'text complete: Thanks for the answer.',
    ],
    requests: [{ answer: { answers: { q1: { choices: ['Svelte'] } } } }],
  },
  {
    name: 'question-multi-comma-nospace',
    rule: 'M13',
    entries: [
      'user complete: Please do SCN:askmulti',
      'question complete',
      'text complete: Thanks for the answers.',
    ],
    requests: [{ answer: { answers: { q1: { choices: [], other: 'Auth,Dark mode' } } } }],
  },
  {
    name: 'no-permission-prompt-tool',
    rule: 'A9',
    entries: [
      'user complete: Hi SCN:bash',
      'text complete: I will run a command.',
      `tool failed shell/denied: ${BASH}`,
      'text complete: The command ran.',
      'user complete: Ask SCN:ask1',
      'question cancelled',
      'notice complete: Error: No such tool available: AskUserQu',
      'text complete: Thanks for the answer.',
    ],
    turns: ['user completed', 'user completed'],
    requests: [{ kind: 'question', status: 'withdrawn' }],
  },
  {
    name: 'hook-sdk-callback',
    rule: 'A3',
    entries: [
      'user complete: Go SCN:bash',
      'form complete',
      'text complete: I will run a command.',
      `tool complete shell/done: ${BASH}`,
      'form complete',
      'form complete',
      'text complete: The command ran.',
      'form complete',
    ],
  },
  {
    name: 'set-model-mid-session',
    rule: 'M13',
    entries: [
      'user complete: Hi SCN:hello',
      HELLO,
      'notice complete: Model: sonnet (claude-sonnet-5-5)',
      'user complete: Hi SCN:second',
      'text complete: This is the second answer.',
      'notice complete: Model: claude-haiku-4-5',
      'user complete: Hi SCN:hello',
      HELLO,
    ],
    turns: ['user completed', 'user completed', 'user completed'],
  },
  {
    name: 'interrupt-cancel-queued',
    rule: 'A3',
    entries: [
      'user complete: Go SCN:slow',
      'text cancelled: word0 word1 word2 word3 word',
      'user cancelled: Queued SCN:hello',
      'notice complete: Interrupted.',
    ],
    turns: ['user cancelled'],
  },
  {
    name: 'interrupt-stops-the-summing-up',
    rule: 'H8',
    entries: [
      'user complete: One',
      'text complete: You said: One',
      'user complete: Two',
      'text complete: You said: Two',
      'user complete: /compact',
      'command complete: Compaction canceled.',
      'user complete: Three',
      'text complete: You said: Two',
    ],
    turns: ['user completed', 'user completed', 'user cancelled', 'user completed'],
  },
  {
    name: 'sigkill-children',
    rule: 'H6',
    entries: [
      'user complete: Hi SCN:looplong',
      'tool stale shell/stale: Bash: i=0; while [ $i -lt 40 ]; do echo ',
      ASK,
      'notice complete: The agent stopped (killed by SIGKILL).',
    ],
    turns: ['user error'],
  },
  {
    name: 'max-turns',
    rule: 'A8',
    entries: [
      'user complete: Go SCN:loop',
      'tool complete shell/done: Bash: echo loop0',
      'tool complete shell/done: Bash: echo loop1',
      'notice complete: Stopped: the limit of steps for one turn',
      'user complete: Hi SCN:hello',
      HELLO,
    ],
    turns: ['user limit', 'user completed'],
  },
  {
    name: 'sigkill-midstream-then-resume',
    rule: 'H6',
    entries: [
      'user complete: First SCN:hello',
      HELLO,
      'user complete: Then SCN:slow',
      'text stale: word0 word1 word2 word3 word4 word5 word',
      'notice complete: The agent stopped (killed by SIGKILL).',
      'user complete: Continue SCN:second',
      'text complete: This is the second answer.',
    ],
    turns: ['user completed', 'user error', 'user completed'],
  },
  {
    name: 'resume-interrupted-permission',
    rule: 'H6',
    entries: [
      'user complete: Then SCN:bash',
      'text complete: I will run a command.',
      `tool stale shell/stale: ${BASH}`,
      'permission stale: Run this command?',
      'notice complete: The agent stopped (killed by SIGKILL).',
      'text complete: I will run a command.',
      `tool complete shell/done: ${BASH}`,
      ASK,
      'text complete: The command ran.',
    ],
    turns: ['user error', 'agent completed'],
    requests: [{ status: 'stale' }, allowed],
  },
];

describe('golden replays', () => {
  test.each(GOLDEN)('$rule $name', ({ name, entries, turns = ['user completed'], requests = undefined }) => {
    const output = outputOf(name);
    expect(outline(output)).toEqual(entries);
    expect(ends(output)).toEqual(turns);
    if (requests) expect(output.requests).toMatchObject(requests);
  });

  test('A5 Edit and Write have their diff, Read its file, Bash its output', () => {
    const path = '/home/dev/project/exist.txt';
    const [, read, edit] = outputOf('edit').entries;
    expect(read?.result).toEqual({
      type: 'file',
      path,
      text: 'alpha\nbeta\ngamma\n',
      startLine: 1,
      totalLines: 4,
    });
    expect(edit?.diff).toEqual([
      {
        path,
        hunks: [
          {
            oldStart: 1,
            oldLines: 3,
            newStart: 1,
            newLines: 3,
            lines: [' alpha', '-beta', '+BETA-edited', ' gamma'],
          },
        ],
      },
    ]);
    expect(outputOf('write-new').entries[1]?.diff).toMatchObject([
      { hunks: [{ oldLines: 0, newLines: 2, lines: ['+line one', '+line two'] }] },
    ]);
    expect(JSON.stringify(outputOf('write-overwrite').entries[2]?.diff)).toContain('"-beta"');
    expect(outputOf('bash-allow').entries[2]?.result).toMatchObject({
      type: 'terminal',
      stdout: 'hello-from-bash',
    });
    expect(outputOf('mcp-stdio').entries[1]?.result).toEqual({ type: 'json', value: { echoed: 'ping' } });
  });

  test('M13 task tools maintain the todo list', () => {
    expect(outputOf('tasks-older-model').todos).toEqual([
      { id: '1', text: 'First task', state: 'done', activeForm: 'Doing first' },
    ]);
  });

  test('A7 slash commands give command entries, are not repeated after /compact, and /clear changes the session', () => {
    const output = outputOf('slash-commands');
    const kinds = output.entries.filter(({ kind }) => kind === 'command' || kind === 'notice');
    expect(kinds.map(({ kind, text }) => `${kind} ${String(text).slice(0, 20)}`)).toEqual([
      'command Total cost:         ',
      'command Total cost:         ',
      'command ## Context Usage\n\n**',
      'command Current model: `Opus',
      "command /help isn't availabl",
      'command Usage: /config key=v',
      'command Set effort level to ',
      'notice The conversation was',
      'notice The agent added a me',
      'notice Cleared: the agent k',
    ]);
    expect(output.sessions).toHaveLength(2);
    expect(output.session).toBe(output.sessions[1]);
  });

  test('A6 a resumed session continues; its usage never falls, even after a kill', () => {
    expect(ends(outputOf('session-resume'))).toHaveLength(4);
    expect(outputOf('session-resume').usage.costUsd).toBeCloseTo(0.00724, 6);
    expect(outputOf('sigkill-then-resume').usage.costUsd).toBeCloseTo(0.002896, 6);
  });

  test('M14 --session restricts to the runs of one session, and an unknown one is rejected', () => {
    const { sessions } = outputOf('session-resume');
    const fork = replayFile('claude', linesOf('session-resume'), { session: sessions[1] });
    expect(outline(fork)[0]).toBe('user complete: Fork SCN:hello');
    expect(() => replayFile('claude', linesOf('text-plain'), { session: 'none' })).toThrow(CodedError);
  });

  test('M14 rejects a file of another protocol with its code', () => {
    const foreign = ['{"t":0,"dir":"out","line":{"jsonrpc":"2.0","id":1,"result":{}}}'];
    for (const lines of [foreign, ['not a recording'], []]) {
      expect(() => replayFile('claude', lines)).toThrow(
        expect.objectContaining({ code: 'AGENT_PROTOCOL_ERROR' }),
      );
    }
  });

  test('A2 counts unknown messages and breaks nothing', () => {
    const strange = [
      { type: 'brand_new' },
      { type: 'system', subtype: 'brand_new' },
      { type: 'assistant', message: 'not a message' },
      42,
    ].map((line) => JSON.stringify({ t: 0, dir: 'out', line }));
    const { unrecognized } = replayFile('claude', [...strange, ...linesOf('text-plain')]);
    expect(unrecognized).toEqual({
      count: 4,
      kinds: {
        brand_new: 1,
        'system/brand_new': 1,
        'assistant of another shape': 1,
        'not an object': 1,
      },
    });
  });
});

/** Every output of a replay, in order. */
function outputsOf(name: string): Output[] {
  const outputs: Output[] = [];
  const spy: ReplayDriver = {
    ...claudeReplay,
    run(mark, usage) {
      const run = claudeReplay.run(mark, usage);
      const keep = (more: Output[]): Output[] => {
        outputs.push(...more);
        return more;
      };
      return {
        take: (line) => keep(run.take(line)),
        read(line) {
          const { was, sent } = run.read(line);
          return { was, sent: () => keep(sent()) };
        },
      };
    },
  };
  replay(spy, linesOf(name));
  return outputs;
}

/** A small seeded generator, so that runs are reproducible. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function foldOutputs(outputs: readonly Output[], repeat: () => boolean): Conversation {
  let state = EMPTY;
  const seen: Extract<Output, { kind: 'live' }>[] = [];
  for (const output of outputs) {
    if (output.kind === 'live') {
      seen.push(output);
      state = foldAppend(state, output);
    } else {
      state = fold(state, { ...output, v: state.v + 1, at: 0 } as Change);
    }
    const old = seen[Math.floor(seen.length / 2)];
    if (old && repeat()) state = foldAppend(state, old);
  }
  return state;
}

describe('every recording', () => {
  test('A2 recordings exist', () => expect(names.length).toBeGreaterThan(100));

  test.each(names)('M1 M2 %s', (name) => {
    const output = outputOf(name);
    expect(output.entries.map(({ seq }) => seq)).toEqual(output.entries.map((_, index) => index));
    expect(new Set(output.entries.map(({ id }) => id)).size).toBe(output.entries.length);
    expect(replayFile('claude', linesOf(name))).toEqual(output);
    expect(output.unrecognized).toEqual({ count: 0, kinds: {} });
    const ended = /"exit/.test(
      linesOf(name)
        .filter((line) => line.includes('"note"'))
        .join('\n'),
    );
    if (ended) {
      expect(output.entries.filter(({ status }) => status === 'partial')).toEqual([]);
      expect(output.turn).toBe('idle');
    }

    const outputs = outputsOf(name);
    const started = new Set<string>();
    for (const body of outputs) {
      if (body.kind === 'live') continue;
      if (!changeBodySchema.safeParse(body).success) expect.fail(`broken change ${JSON.stringify(body)}`);
      if (body.kind === 'turn.started') started.add(body.turn);
      if (body.kind === 'turn.ended' && !started.delete(body.turn)) expect.fail(`${body.turn} ended twice`);
    }
    const random = seeded(names.indexOf(name) + 1);
    const plain = foldOutputs(outputs, () => false);
    const doubled = foldOutputs(outputs, () => random() < 0.3);
    expect([...entriesFrom(doubled.entries)]).toEqual([...entriesFrom(plain.entries)]);
    expect(doubled.holes).toEqual([]);
  });

  test.each(names)('A4 the streamed text is the complete text: %s', (name) => {
    const live = new Map<string, string>();
    for (const output of outputsOf(name)) {
      if (output.kind === 'live' && output.field === 'text') {
        const before = live.get(output.entry) ?? '';
        if (output.at !== before.length) expect.fail(`append to ${output.entry} at ${output.at}`);
        live.set(output.entry, before + output.text);
      }
      if (output.kind === 'entry.closed' && output.status === 'complete' && live.has(output.entry)) {
        expect(output.patch?.text).toBe(live.get(output.entry));
      }
    }
  });
});

test('C14 reports usage by turn and model, and context by category', () => {
  const { usage } = outputOf('session-resume');
  const models = Object.values(usage.byModel ?? {});
  expect(models.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0)).toBeCloseTo(usage.costUsd ?? 0, 9);
  expect(models.reduce((sum, { outputTokens }) => sum + outputTokens, 0)).toBe(usage.outputTokens);
  expect(usage.lastTurn?.costUsd).toBeGreaterThan(0);
  expect(usage.lastTurn?.costUsd).toBeLessThan(usage.costUsd ?? 0);
  expect(usage.wallMs).toBeGreaterThan(usage.apiMs ?? Number.NaN);
  const { contextKinds = [] } = outputOf('control-queries').usage;
  expect(contextKinds.map(({ label }) => label)).toContain('System prompt');
  expect(contextKinds.map(({ label }) => label)).not.toContain('Free space');
});

test('A10 adds usage to what was used before', () => {
  const before = { ...NO_USAGE, inputTokens: 5, costUsd: 1 };
  const run = claudeReplay.run('x', before);
  const outputs = linesOf('text-plain').flatMap((line) => {
    const { dir, line: said } = line === '' ? { dir: '', line: '' } : JSON.parse(line);
    return dir === 'out' ? run.take(said) : [];
  });
  expect(outputs.find(({ kind }) => kind === 'usage.updated')).toMatchObject({
    usage: { inputTokens: 17, costUsd: 1.001448 },
  });
});
