/** One hostile text in every place of a conversation that shows untrusted text. */
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';

type NewEntry = Extract<ChangeBody, { kind: 'entry.opened' }>['entry'];

/** Failed tools are expanded by default, so their details are rendered. */
const FAILED = { state: 'failed', status: 'failed' } as const;

export function entriesOf(text: string, at: number | string): ChangeBody[] {
  const id = (kind: string) => `${kind}-${at}`;
  const lines = text.split('\n');
  const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: [] as string[] };
  const diff = [
    {
      path: text,
      oldPath: `${text}~`,
      hunks: [
        {
          ...hunk,
          lines: [...lines.map((line) => `-${line}`), ...lines.map((line) => `+${line}!`), ` ${text}`],
        },
      ],
    },
  ];
  const field = (form: 'text' | 'code' | 'path' | 'url') => ({ label: `${form} ${text}`, value: text, form });
  const fields = [field('text'), field('code'), field('path'), field('url')];
  const pending = { status: 'pending', shown: `shown-${at}` } as const;
  const permission = {
    tool: text,
    toolKind: 'shell',
    title: text,
    reason: text,
    fields,
    options: [
      { id: 'once', label: text, effect: 'allow-once' },
      { id: text || 'rule', label: text, effect: 'allow-always', rule: text, file: text },
    ],
    input: { [text]: text },
    canEdit: true,
    canComment: true,
  } as const;
  const tool = {
    kind: 'tool',
    name: text,
    title: text,
    toolKind: 'other',
    input: { [text]: [text] },
  } as const;
  const entries: NewEntry[] = [
    { kind: 'user', id: id('user'), text, status: 'failed', delivery: 'failed', why: text },
    { kind: 'text', id: id('text'), text, status: 'complete', model: text },
    { kind: 'thinking', id: id('thinking'), text, status: 'complete' },
    {
      ...tool,
      ...FAILED,
      id: id('shell'),
      toolKind: 'shell',
      fields,
      result: { type: 'terminal', stdout: text, stderr: text, exitCode: 1 },
      error: text,
    },
    { ...tool, ...FAILED, id: id('edit'), toolKind: 'edit', diff },
    {
      ...tool,
      ...FAILED,
      id: id('read'),
      toolKind: 'fetch',
      result: { type: 'file', path: text, text, startLine: 1 },
    },
    { ...tool, ...FAILED, id: id('search'), toolKind: 'fetch', result: { type: 'matches', files: [text] } },
    {
      ...tool,
      ...FAILED,
      id: id('json'),
      result: { type: 'json', value: { [text]: text, nested: [[text]] } },
    },
    { ...tool, ...FAILED, id: id('image'), result: { type: 'image', mimeType: text, data: text } },
    { ...tool, id: id('denied'), state: 'denied', status: 'cancelled', denied: { by: 'rule', why: text } },
    {
      kind: 'permission',
      id: id('ask'),
      status: 'partial',
      request: { ...pending, ...permission, fields, options: [...permission.options] },
    },
    {
      kind: 'permission',
      id: id('asked'),
      status: 'complete',
      request: {
        ...permission,
        fields,
        options: [...permission.options],
        diff,
        status: 'answered',
        shown: 'x',
        answer: { type: 'permission', behavior: 'deny', message: text },
        answeredBy: text,
      },
    },
    {
      kind: 'permission',
      id: id('change'),
      status: 'partial',
      request: { ...pending, ...permission, fields: [], options: [], diff },
    },
    {
      kind: 'question',
      id: id('question'),
      status: 'partial',
      request: {
        ...pending,
        questions: [
          {
            id: text || 'q',
            header: text,
            text,
            multiple: false,
            options: [{ label: text, description: text, preview: text }],
          },
        ],
      },
    },
    {
      kind: 'plan',
      id: id('plan'),
      status: 'partial',
      text,
      request: { ...pending, path: text, modes: [{ id: text, label: text }] },
    },
    {
      kind: 'form',
      id: id('form'),
      status: 'partial',
      request: { ...pending, title: text, message: text, schema: { title: text } },
    },
    {
      kind: 'notice',
      id: id('notice'),
      text,
      notice: 'info',
      level: 'info',
      status: 'complete',
      detail: text,
    },
    { kind: 'command', id: id('command'), name: text, text, status: 'complete' },
  ];
  return entries.map((entry): ChangeBody => ({ kind: 'entry.opened', entry }));
}

/** The same for session information. */
export function factsOf(text: string): ChangeBody[] {
  const choice = { id: text, label: text, description: text };
  return [
    {
      kind: 'session.described',
      facts: {
        agentLabel: text,
        agentTitle: text,
        agentVersion: text,
        model: text,
        mode: text,
        models: [choice],
        modes: [choice],
        directory: text,
        account: text,
        commands: [{ name: text, description: text, argumentHint: text }],
      },
    },
    { kind: 'agent.changed', agent: { state: 'failed', reason: text } },
    { kind: 'prompt.queued', prompt: { id: `queued ${text}`, text } },
  ];
}
