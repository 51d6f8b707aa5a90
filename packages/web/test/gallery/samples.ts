/** One entry of every kind in every visual state. */
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { FileDiff, NewEntry } from '@tugdeck/protocol/conversation/entries';

const ANSWER = `The login test fails because the session cookie is set **after** the redirect, so the first request has none.

## What happens

1. \`POST /login\` checks the password
2. the handler calls \`redirect()\`, which ends the response
3. \`setCookie()\` runs on an ended response and is ignored

| step | before | after |
|---|---|---|
| cookie | after the redirect | before it |
| test | fails | passes |

- [x] find the cause
- [ ] fix it

\`\`\`ts
export function login(request: Request, response: Response) {
  response.setCookie('session', createSession(request.user));
  response.redirect('/');
}
\`\`\`

> The order matters: nothing can be added to a response that was sent.

See [the documentation](https://example.com/cookies) for more.`;

const DIFF: FileDiff[] = [
  {
    path: '/home/me/app/src/login.ts',
    hunks: [
      {
        oldStart: 12,
        oldLines: 7,
        newStart: 12,
        newLines: 8,
        lines: [
          ' export function login(request, response) {',
          '   const user = check(request);',
          '   if (!user) return refuse(response);',
          "-  response.redirect('/');",
          "-  response.setCookie('session', createSession(user));",
          "+  response.setCookie('session', createSession(user), { httpOnly: true });",
          "+  response.redirect('/');",
          '   log(user);',
          ' }',
        ],
      },
      {
        oldStart: 40,
        oldLines: 2,
        newStart: 41,
        newLines: 3,
        lines: [' const limit = 10;', '+const slow = 200;', ' export { limit };'],
      },
    ],
  },
];

const OUTPUT = [
  '\u001b[1m RUN \u001b[22m v4.1.12',
  '',
  ' \u001b[32m✓\u001b[39m test/session.test.ts (12 tests) 41ms',
  ' \u001b[31m✗\u001b[39m test/login.test.ts (3 tests | \u001b[31m1 failed\u001b[39m)',
  ...Array.from({ length: 14 }, (_, index) => `   at step ${index + 1} (src/login.ts:${index + 12})`),
].join('\n');

const SHELL_OPTIONS = [
  { id: 'once', label: 'Allow once', effect: 'allow-once' as const },
  {
    id: 'rule',
    label: 'Allow npm publish in this project',
    effect: 'allow-always' as const,
    rule: 'Bash(npm publish:*)',
    file: '.agent/settings.json',
  },
  {
    id: 'all',
    label: 'Allow all of npm',
    effect: 'allow-always' as const,
    rule: 'Bash(npm:*)',
    file: '~/.agent/settings.json',
  },
  { id: 'no', label: 'No', effect: 'reject-once' as const },
];

/** A small image: a window with three lines, the last one red. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAIAAADYYG7QAAAAWklEQVR42u3UwQnAIBREQTvJwRpszYNFWEQqyTn9iNcUIcqHDL' +
  'wCBhY2tXuGKgEBAf0OdOUSKiAgIKBcnnccyGRAQEA7f8hkQEBAa6BZ+4FMBgQEBAQEBBSkD0bPPrIwq670AAAAAElFTkSuQmCC';

function tool(entry: Partial<Extract<NewEntry, { kind: 'tool' }>> & { id: string; title: string }): NewEntry {
  return { kind: 'tool', name: 'Tool', toolKind: 'other', state: 'done', status: 'complete', ...entry };
}

export function sampleEntries(): NewEntry[] {
  return [
    {
      kind: 'user',
      id: 'u1',
      text: 'The login test fails since this morning. Find out why, and fix it.\nDo not touch the session store.',
      status: 'complete',
      delivery: 'delivered',
      attachments: [
        { name: 'screenshot-of-the-failure.png', mimeType: 'image/png', size: 48_213, data: PICTURE },
      ],
    },
    {
      kind: 'thinking',
      id: 'h1',
      text: 'The test fails in the second step.\nSo the cookie is not there yet.',
      status: 'complete',
      durationMs: 8_200,
    },
    { kind: 'text', id: 't0', text: "I'll look at the failing test first.", status: 'complete' },
    tool({
      id: 'r1',
      title: 'Read src/login.ts',
      toolKind: 'read',
      result: { type: 'file', path: 'src/login.ts', startLine: 1, text: 'a\nb' },
    }),
    tool({
      id: 'r2',
      title: 'Read test/login.test.ts',
      toolKind: 'read',
      result: { type: 'file', path: 'test/login.test.ts', startLine: 1, text: 'a' },
    }),
    tool({
      id: 'r3',
      title: 'Search setCookie',
      toolKind: 'search',
      result: { type: 'matches', files: ['src/login.ts', 'src/http.ts'] },
    }),
    tool({
      id: 's1',
      title: 'npm test -- login',
      name: 'Bash',
      toolKind: 'shell',
      durationMs: 3_240,
      fields: [{ label: 'Command', value: 'npm test -- login', form: 'code' }],
      result: { type: 'terminal', stdout: OUTPUT, stderr: '', exitCode: 1 },
      state: 'failed',
      status: 'failed',
      input: { command: 'npm test -- login' },
      error: 'The command ended with exit code 1.',
    }),
    { kind: 'text', id: 't1', text: ANSWER, status: 'complete', model: 'large' },
    tool({
      id: 'd1',
      title: 'Edit src/login.ts',
      name: 'Edit',
      toolKind: 'edit',
      durationMs: 120,
      diff: DIFF,
      fields: [
        { label: 'File', value: '/home/me/app/src/login.ts', form: 'path' },
        { label: 'Replace', value: "  response.redirect('/');", form: 'code' },
        { label: 'Replace all', value: 'false', form: 'text' },
      ],
    }),
    tool({
      id: 'f1',
      title: 'Read src/http.ts',
      name: 'Read',
      toolKind: 'read',
      result: {
        type: 'file',
        path: 'src/http.ts',
        startLine: 88,
        totalLines: 240,
        text: Array.from({ length: 30 }, (_, i) => `const line${i + 88} = ${i};`).join('\n'),
      },
    }),
    tool({
      id: 'w1',
      title: 'Fetch https://example.com/cookies',
      toolKind: 'fetch',
      result: { type: 'text', text: 'A page about cookies.' },
      durationMs: 640,
    }),
    tool({
      id: 'a1',
      title: 'Explore the session store',
      toolKind: 'agent',
      durationMs: 64_000,
      result: { type: 'agent', text: 'The store is fine.', tokens: 18_400, toolUses: 12 },
    }),
    tool({
      id: 'a2',
      title: 'Fetch the schema',
      toolKind: 'other',
      parent: 'a1',
      result: {
        type: 'json',
        value: {
          ok: true,
          tables: [
            { name: 'sessions', rows: 1204 },
            { name: 'users', rows: 88 },
          ],
          next: null,
        },
      },
    }),
    {
      kind: 'text',
      id: 'a3',
      parent: 'a1',
      text: 'The store keeps **one row** per session.',
      status: 'complete',
    },
    tool({
      id: 'm1',
      title: 'Grep: redirect',
      name: 'Grep',
      toolKind: 'search',
      state: 'failed',
      status: 'failed',
      fields: [{ label: 'Pattern', value: 'redirect\\(', form: 'code' }],
      result: {
        type: 'matches',
        files: [],
        text: '/home/me/app/src/login.ts:15:  redirect();\n/home/me/app/src/login.ts:31:  redirect(home);\n/home/me/app/src/http.ts:9:export function redirect() {',
      },
    }),
    tool({
      id: 's2',
      title: 'Bash: npm run build',
      name: 'Bash',
      toolKind: 'shell',
      durationMs: 12_400,
      fields: [{ label: 'Command', value: 'npm run build', form: 'code' }],
      result: {
        type: 'terminal',
        stdout: 'built in 12 s\n',
        stderr: '\u001b[33mwarning\u001b[39m: 2 chunks are large\n',
        exitCode: 0,
      },
    }),
    tool({
      id: 'x1',
      title: 'rm -rf build',
      toolKind: 'shell',
      state: 'denied',
      status: 'cancelled',
      denied: { by: 'rule', why: 'Bash(rm:*) is denied in .agent/settings.json' },
    }),
    tool({
      id: 'x2',
      title: 'sleep 600',
      toolKind: 'shell',
      state: 'interrupted',
      status: 'cancelled',
      durationMs: 9_000,
    }),
    {
      kind: 'notice',
      id: 'n1',
      text: 'Context compacted: 182k to 24k tokens',
      notice: 'compaction',
      level: 'info',
      status: 'complete',
    },
    {
      kind: 'notice',
      id: 'n2',
      text: 'Stopped (exit 1), restarting',
      notice: 'crash',
      level: 'error',
      status: 'complete',
      detail: 'Error: out of memory\n  at main',
    },
    { kind: 'command', id: 'c1', name: 'cost', text: 'Total cost: **$0.32**', status: 'complete' },
    { kind: 'user', id: 'u2', text: 'Also check the logout.', status: 'complete', delivery: 'delivered' },
    {
      kind: 'text',
      id: 't2',
      text: 'The logout clears the cookie in the same way, but the path is',
      status: 'cancelled',
    },
    { kind: 'user', id: 'u3', text: 'Continue with the logout.', status: 'stale', delivery: 'doubted' },
    {
      kind: 'user',
      id: 'u4',
      text: 'And the sign-up page.',
      status: 'failed',
      delivery: 'failed',
      why: 'The agent ended before it received this.',
    },
    settledPermission('p0', 'Run npm install', { type: 'permission', behavior: 'allow', option: 'rule' }),
    settledPermission('p00', 'Run rm -rf dist', {
      type: 'permission',
      behavior: 'deny',
      message: 'Move it to the trash instead',
    }),
    {
      ...permission('p000', 'Run git push'),
      status: 'stale',
      request: { ...permission('p000', 'Run git push').request, status: 'stale' },
    },
    {
      kind: 'question',
      id: 'q0',
      status: 'complete',
      request: {
        ...question().request,
        status: 'answered',
        answer: {
          type: 'question',
          answers: {
            q1: { choices: ['Rotate the session'] },
            q2: { choices: ['Unit tests'], other: 'a note in the changelog' },
          },
        },
      },
    },
  ];
}

export function permission(id: string, title: string): Extract<NewEntry, { kind: 'permission' }> {
  return {
    kind: 'permission',
    id,
    status: 'partial',
    request: {
      status: 'pending',
      shown: `shown-${id}`,
      tool: 'Bash',
      toolKind: 'shell',
      title,
      reason: 'Publishes the package to the registry.',
      fields: [
        { label: 'Command', value: 'npm publish --access public && git push --tags', form: 'code' },
        { label: 'Directory', value: '~/app', form: 'path' },
      ],
      options: SHELL_OPTIONS,
      input: { command: 'npm publish --access public && git push --tags' },
      canEdit: true,
      canComment: true,
    },
  };
}

function settledPermission(id: string, title: string, answer: unknown): NewEntry {
  const made = permission(id, title);
  return { ...made, status: 'complete', request: { ...made.request, status: 'answered', answer } };
}

export function question(): Extract<NewEntry, { kind: 'question' }> {
  return {
    kind: 'question',
    id: 'q1',
    status: 'partial',
    request: {
      status: 'pending',
      shown: 'shown-q1',
      questions: [
        {
          id: 'q1',
          header: 'Session',
          text: 'What should happen to the session at login?',
          multiple: false,
          options: [
            { label: 'Rotate the session', description: 'A new id at every login; safest.' },
            { label: 'Keep it', description: 'As it is now.', preview: 'session.id = request.session.id' },
          ],
        },
        {
          id: 'q2',
          header: 'Extra',
          text: 'What else should be done?',
          multiple: true,
          options: [
            { label: 'Unit tests', description: 'For the new order.' },
            { label: 'Documentation', description: 'A line in the README.' },
          ],
        },
      ],
    },
  };
}

export function plan(): Extract<NewEntry, { kind: 'plan' }> {
  return {
    kind: 'plan',
    id: 'plan1',
    status: 'partial',
    text: '1. Set the cookie before the redirect\n2. Add a test for the order\n3. Check **logout** in the same way',
    request: {
      status: 'pending',
      shown: 'shown-plan1',
      path: 'plans/login.md',
      canEdit: true,
      modes: [
        { id: 'edits', label: 'Accept edits' },
        { id: 'ask', label: 'Ask first' },
      ],
    },
  };
}

export function form(): Extract<NewEntry, { kind: 'form' }> {
  return {
    kind: 'form',
    id: 'form1',
    status: 'partial',
    request: {
      status: 'pending',
      shown: 'shown-form1',
      title: 'Sign in to the tracker',
      message: 'The server asks for a project key.',
      schema: { type: 'object', properties: { key: { type: 'string' } } },
    },
  };
}

export function sampleChanges(): ChangeBody[] {
  return [
    {
      kind: 'session.described',
      facts: {
        agentLabel: 'Sample agent',
        directory: '/home/me/app',
        model: 'large',
        mode: 'ask',
        models: [
          { id: 'large', label: 'Large', description: 'Best for hard things' },
          { id: 'small', label: 'Small', description: 'Quick' },
        ],
        modes: [
          { id: 'ask', label: 'Ask first' },
          { id: 'edits', label: 'Accept edits' },
          { id: 'plan', label: 'Plan' },
        ],
      },
    },
    { kind: 'agent.changed', agent: { state: 'connected' } },
    ...sampleEntries().map((entry): ChangeBody => ({ kind: 'entry.opened', entry })),
    {
      kind: 'usage.updated',
      usage: {
        inputTokens: 1200,
        outputTokens: 3_412,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        costUsd: 0.324,
        contextUsed: 82_000,
        contextWindow: 200_000,
        contextKinds: [
          { label: 'Messages', tokens: 61_500 },
          { label: 'System tools', tokens: 9_710 },
          { label: 'Memory files', tokens: 8_846 },
          { label: 'System prompt', tokens: 1_944 },
        ],
        lastTurn: {
          inputTokens: 200,
          outputTokens: 412,
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
          costUsd: 0.031,
        },
        byModel: {
          'model-large': {
            inputTokens: 1000,
            outputTokens: 3_000,
            cacheReadTokens: 0,
            cacheWriteTokens: 0,
            costUsd: 0.32,
          },
          'model-small-with-a-name-that-is-long': {
            inputTokens: 200,
            outputTokens: 412,
            cacheReadTokens: 0,
            cacheWriteTokens: 0,
            costUsd: 0.004,
          },
        },
        wallMs: 312_000,
        apiMs: 251_000,
      },
    },
  ];
}

/** A running turn: live thinking, live tool, live text, a queue. */
export function runningChanges(): ChangeBody[] {
  return [
    { kind: 'turn.started', turn: 'turn1', origin: 'user', prompts: [] },
    {
      kind: 'entry.opened',
      entry: {
        kind: 'thinking',
        id: 'h9',
        status: 'partial',
        text: 'The order of the two calls matters, so\nI should look at redirect()',
      },
    },
    {
      kind: 'entry.opened',
      entry: tool({
        id: 's9',
        title: 'npm test',
        toolKind: 'shell',
        state: 'running',
        status: 'partial',
        output: 'test/a.test.ts ok\ntest/b.test.ts ok\n',
      }),
    },
    { kind: 'entry.opened', entry: { kind: 'text', id: 't9', status: 'partial', text: 'Now the tests ' } },
    { kind: 'prompt.queued', prompt: { id: 'queued1', text: 'Then update the changelog' } },
    {
      kind: 'prompt.queued',
      prompt: {
        id: 'queued2',
        text: 'And write a commit message that says why the order of these two calls matters so much',
      },
    },
  ];
}

export function openRequests(): ChangeBody[] {
  return [permission('p1', 'Run a command in ~/app'), question(), plan(), form()].map(
    (entry): ChangeBody => ({ kind: 'entry.opened', entry }),
  );
}
