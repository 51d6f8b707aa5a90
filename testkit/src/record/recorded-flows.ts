// The flows that `npm run record` records, in addition to the first corpus. Each drives the bare agent by its own
// protocol; the driver's tests check how the product handles the recording.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mcpServers } from '../mcp-server.ts';
import { answer, attempts, failure, hold, text, thinking, toolUse } from '../script.ts';
import { agent, bash, hook } from './flow-parts.ts';
import { MIXED_FLOWS } from './mixed-flows.ts';
import type { Recorded } from './recorder.ts';
import { STOPPED_FLOWS } from './stopped-flows.ts';

export const RECORDED_FLOWS: readonly Recorded[] = [
  {
    name: 'thinking-between-tools',
    files: { 'notes.md': 'one\ntwo\n' },
    async run(recorder) {
      recorder.fake.script('between', ({ cwd }) => [
        [thinking('First I look.'), text('I look.'), toolUse('Read', { file_path: join(cwd, 'notes.md') })],
        [thinking('Two lines. Now I count.'), bash('echo counted')],
        [thinking('Done.'), text('There are two lines.')],
      ]);
      recorder.prompt('SCN:between');
      await recorder.result();
      await recorder.end();
    },
  },
  {
    name: 'deny-and-interrupt',
    async run(recorder) {
      recorder.fake.script('twice', [[text('Two at once.'), bash('touch one.txt'), bash('touch two.txt')]]);
      recorder.prompt('SCN:twice');
      const request = await recorder.request();
      recorder.answer(request, { behavior: 'deny', message: 'Stop it all.', interrupt: true });
      await recorder.result();
      recorder.prompt('SCN:text again');
      await recorder.result(1);
      await recorder.end();
    },
  },
  {
    name: 'text-beyond-ascii',
    async run(recorder) {
      const words = 'Grüße 👩‍👩‍👧 — שלום\r\n\ttab\u2028line \u0000? 𝒳 end';
      recorder.fake.script('odd', [text(words, { chunk: 1 })]);
      recorder.fake.script('odd-tool', [
        [toolUse('Bash', { command: `echo '${'👩‍👩‍👧é'.repeat(5)}'`, description: 'Écho' }, { chunk: 1 })],
        text('Gesagt.'),
      ]);
      recorder.prompt('SCN:odd ünïcödé 🚢');
      await recorder.result();
      recorder.prompt('SCN:odd-tool');
      await recorder.result(1);
      await recorder.end();
    },
  },
  {
    name: 'answers-of-nothing',
    async run(recorder) {
      recorder.fake.script('blank', [text('   ')]);
      recorder.fake.script('none', [answer([])]);
      recorder.prompt('SCN:blank');
      await recorder.result();
      recorder.prompt('SCN:none');
      await recorder.result(1);
      recorder.prompt('And now?');
      await recorder.result(2);
      await recorder.end();
    },
  },
  {
    name: 'retry-after-tool',
    async run(recorder) {
      recorder.fake.script('late', [
        [text('First the tool.'), bash('echo tool')],
        attempts(failure(529, { retryAfter: 0 }), failure(500), text('Answered at the third try.')),
      ]);
      recorder.prompt('SCN:late');
      await recorder.result();
      await recorder.end();
    },
  },
  {
    name: 'two-background-subagents',
    async run(recorder) {
      recorder.fake.script('left', [bash('echo left'), text('Left is done.')]);
      recorder.fake.script('right', [text(['Right ', hold('right'), 'is done.'])]);
      recorder.fake.script('both', [
        [agent('SCN:left', true), agent('SCN:right', true)],
        text('Both are on their way.'),
      ]);
      recorder.prompt('SCN:both');
      await recorder.result();
      await recorder.fake.reached('right');
      recorder.fake.release('right');
      await recorder.until((line) => line.subtype === 'task_notification', 1);
      await recorder.until((line) => line.type === 'result' && line.origin !== undefined);
      await recorder.control({ subtype: 'end_session' });
      await recorder.end();
    },
  },
  {
    name: 'subagent-denied',
    async run(recorder) {
      recorder.fake.script('inner', [bash('touch inner.txt'), text('I was not allowed.')]);
      recorder.fake.script('outer', [agent('SCN:inner', false), text('It was not allowed.')]);
      recorder.prompt('SCN:outer');
      recorder.answer(await recorder.request(), { behavior: 'deny', message: 'Not from a subagent.' });
      await recorder.result();
      await recorder.end();
    },
  },
  {
    name: 'steered-twice',
    async run(recorder) {
      recorder.fake.script('work', [
        bash('touch begun.txt; while [ ! -e go.txt ]; do sleep 0.05; done'),
        text('Worked, with your words in mind.'),
      ]);
      recorder.prompt('SCN:work');
      await recorder.allow();
      await recorder.until((line) => line.type === 'user' || line.subtype === 'task_started', 0);
      recorder.prompt('Mind the first thing', { priority: 'next' });
      recorder.prompt('And the second', { priority: 'next' });
      await recorder.until((line) => line.type === 'command_lifecycle' && line.state === 'queued', 2);
      writeFileSync(join(recorder.sandbox.project, 'go.txt'), '');
      await recorder.result();
      await recorder.control({ subtype: 'end_session' });
      await recorder.end();
    },
  },
  {
    name: 'mode-changed-while-asked',
    async run(recorder) {
      recorder.fake.script('writes', ({ cwd }) => [
        toolUse('Write', { file_path: join(cwd, 'made.txt'), content: 'made\n' }),
        text('Written.'),
      ]);
      recorder.prompt('SCN:writes');
      await recorder.request();
      await recorder.control({ subtype: 'set_permission_mode', mode: 'acceptEdits' });
      await recorder.allow();
      await recorder.result();
      recorder.prompt('SCN:writes');
      await recorder.result(1);
      await recorder.control({ subtype: 'rename_session', title: 'A chosen name' });
      await recorder.end();
    },
  },
  {
    name: 'notebook-and-fetch',
    files: {
      'book.ipynb': JSON.stringify({
        cells: [
          {
            cell_type: 'code',
            id: 'c1',
            source: 'print(1)',
            metadata: {},
            outputs: [],
            execution_count: null,
          },
        ],
        metadata: {},
        nbformat: 4,
        nbformat_minor: 5,
      }),
    },
    async run(recorder) {
      recorder.fake.script('book', ({ cwd }) => [
        toolUse('Read', { file_path: join(cwd, 'book.ipynb') }),
        toolUse('NotebookEdit', {
          notebook_path: join(cwd, 'book.ipynb'),
          cell_id: 'c1',
          new_source: 'print(2)',
        }),
        toolUse('WebFetch', { url: 'http://127.0.0.1:9/nothing', prompt: 'What is there?' }),
        text('One edited, one not there.'),
      ]);
      recorder.prompt('SCN:book');
      await recorder.allow();
      await recorder.allow(1);
      await recorder.result();
      await recorder.end();
    },
  },
  {
    name: 'stop-hook-goes-on',
    files: {
      '.claude/settings.json': JSON.stringify({
        hooks: {
          Stop: hook('[ -e stopped ] && exit 0; touch stopped; echo "One more thing." >&2; exit 2'),
          UserPromptSubmit: hook('echo "Said by a hook."'),
        },
      }),
    },
    async run(recorder) {
      recorder.prompt('Say something');
      await recorder.result();
      await recorder.end();
    },
  },
  {
    name: 'questions-with-notes',
    async run(recorder) {
      const option = (label: string) => ({ label, description: `It is ${label}`, preview: `# ${label}` });
      const one = {
        question: 'Which colour?',
        header: 'Colour',
        multiSelect: false,
        options: ['Red', 'Blue'].map(option),
      };
      const many = {
        question: 'Which parts?',
        header: 'Parts',
        multiSelect: true,
        options: ['Hull', 'Mast', 'Rail'].map(option),
      };
      recorder.fake.script('asks', [
        toolUse('AskUserQuestion', { questions: [one, many] }),
        text('Thank you.'),
      ]);
      recorder.prompt('SCN:asks');
      const request = await recorder.request();
      recorder.answer(request, {
        behavior: 'allow',
        updatedInput: {
          ...request.request.input,
          answers: { 'Which colour?': 'Neither: green', 'Which parts?': 'Hull, Rail' },
          annotations: { 'Which parts?': { notes: 'Not the mast.' } },
        },
      });
      await recorder.result();
      await recorder.end();
    },
  },
  {
    name: 'server-and-cut-tool-input',
    files: {
      '.mcp.json': JSON.stringify({ mcpServers }),
      '.claude/settings.json': '{"enableAllProjectMcpServers":true}',
    },
    async run(recorder) {
      recorder.fake.script('echo', [toolUse('mcp__testkit__echo', { text: 'ahoy' }), text('Heard.')]);
      recorder.fake.script('cut-input', [
        answer(toolUse('Bash', { command: 'echo cut short', description: 'x' }), {
          stopReason: 'max_tokens',
        }),
        text('In smaller steps then.'),
      ]);
      recorder.prompt('SCN:echo');
      await recorder.allow();
      await recorder.result();
      recorder.prompt('SCN:cut-input');
      await recorder.result(1);
      await recorder.end();
    },
  },
  {
    name: 'killed-and-continued',
    async run(recorder) {
      recorder.fake.script('half', [text(['Half of it. ', hold('half'), 'All of it.'])]);
      recorder.prompt('Remember the heron');
      await recorder.result();
      recorder.prompt('SCN:half');
      await recorder.fake.reached('half');
      await recorder.until((line) => String(line.event?.delta?.text ?? '').includes('it'));
      await recorder.kill();
      recorder.start(['--continue']);
      recorder.prompt('Go on');
      await recorder.result(1);
      await recorder.end();
    },
  },
  ...STOPPED_FLOWS,
  ...MIXED_FLOWS,
];
