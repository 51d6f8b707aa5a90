// Flows that combine several features of the agent in one turn or session.
import { join } from 'node:path';
import { askingServers } from '../mcp-server.ts';
import { answer, attempts, cut, failure, hold, streamError, text, thinking, toolUse } from '../script.ts';
import { agent, allowed, answerAll, bash, hook, INTERRUPT, settings, UNTIL_GO } from './flow-parts.ts';
import type { Recorded } from './recorder.ts';

const NO_PARTIALS = [
  ...['--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose'],
  ...['--permission-prompt-tool', 'stdio'],
];
const option = (label: string) => ({ label, description: label.toLowerCase() });
const question = (number: number) => ({
  question: `Question, "${number}"?`,
  header: `H${number}`,
  multiSelect: number % 2 === 0,
  options: ['Yes, indeed', 'No', 'Ünsure'].map(option),
});

export const MIXED_FLOWS: readonly Recorded[] = [
  {
    name: 'everything-at-once',
    files: { 'notes.md': 'a\nb\n' },
    async run(recorder) {
      recorder.fake.script('inner', [[text('I touch.'), bash('touch inner.txt')], text('Inner done.')]);
      recorder.fake.script('all', ({ cwd }) => [
        [
          text('Everything at once.'),
          toolUse('Read', { file_path: join(cwd, 'notes.md') }),
          agent('SCN:inner', false),
          bash('touch outer.txt'),
          bash('echo hi'),
        ],
        text('All done.'),
      ]);
      recorder.prompt('SCN:all');
      await answerAll(recorder, allowed);
      await recorder.end();
    },
  },
  {
    name: 'a-server-that-asks-thrice',
    files: {
      '.mcp.json': JSON.stringify({ mcpServers: askingServers }),
      ...settings({ enableAllProjectMcpServers: true }),
    },
    async run(recorder) {
      const ask = (how: string) => toolUse('mcp__asker__ask', { how });
      recorder.fake.script('ask', [
        [ask('form'), bash('touch a.txt')],
        ask('form'),
        ask('url'),
        text('Asked thrice.'),
      ]);
      const actions = [
        { action: 'accept', content: { name: 'Ada', sure: false } },
        { action: 'decline' },
        { action: 'cancel' },
      ];
      recorder.prompt('SCN:ask');
      await answerAll(recorder, (request) =>
        request.subtype === 'elicitation' ? (actions.shift() ?? {}) : allowed(request),
      );
      await recorder.end();
    },
  },
  {
    name: 'a-hook-that-stops-the-turn',
    files: settings({
      hooks: { PostToolUse: hook(`echo '{"continue":false,"stopReason":"enough now"}'`, 'Bash') },
    }),
    async run(recorder) {
      recorder.fake.script('stopped', [bash('echo harmless'), text('never')]);
      recorder.prompt('SCN:stopped');
      await recorder.result();
      recorder.prompt('SCN:text after');
      await recorder.result(1);
      await recorder.end();
    },
  },
  {
    name: 'hooks-that-ask-fail-and-block',
    files: settings({
      hooks: {
        SessionStart: hook('echo context'),
        PreToolUse: hook(
          `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"ask the user"}}'`,
          'Bash',
        ),
        PostToolUse: hook('exit 1', 'Bash'),
        UserPromptSubmit: hook('grep -q BLOCK && { echo "not this" >&2; exit 2; }; exit 0'),
      },
    }),
    async run(recorder) {
      recorder.fake.script('asked', [bash('echo harmless'), text('Ended.')]);
      recorder.prompt('SCN:asked');
      await recorder.allow();
      await recorder.result();
      recorder.prompt('BLOCK this');
      await recorder.result(1);
      recorder.prompt('SCN:text after');
      await recorder.result(2);
      await recorder.end();
    },
  },
  {
    name: 'summed-up-twice-and-cleared',
    async run(recorder) {
      recorder.fake.script('tool', [[text('With a tool.'), bash('echo t')], text('Tool done.')]);
      const prompts = [
        'One',
        'SCN:tool',
        '/compact',
        'SCN:text two',
        '/compact keep the tool',
        '/clear',
        'SCN:text four',
      ];
      for (const [index, words] of prompts.entries()) {
        recorder.prompt(words);
        await recorder.result(index);
      }
      await recorder.end();
    },
  },
  {
    name: 'background-that-fails-after-the-turn',
    async run(recorder) {
      recorder.fake.script('bg', [
        bash(`${UNTIL_GO}; exit 3`, { run_in_background: true }),
        text('Started.'),
      ]);
      recorder.fake.script('go', [bash('touch go.txt'), text('Off it goes.')]);
      recorder.prompt('SCN:bg');
      await recorder.allow();
      await recorder.result();
      recorder.prompt('SCN:go');
      await recorder.allow(1);
      await recorder.until((line) => line.subtype === 'task_notification');
      await recorder.result(1);
      await recorder.control({ subtype: 'end_session' });
      await recorder.end();
    },
  },
  {
    name: 'a-subagent-sent-behind-and-stopped',
    async run(recorder) {
      recorder.fake.script('in', [text(['Half ', hold('in'), 'done'])]);
      recorder.fake.script('fg', [agent('SCN:in', false), text('Gone to the background.')]);
      recorder.prompt('SCN:fg');
      const { tool_use_id, task_id } = await recorder.until((line) => line.subtype === 'task_started');
      await recorder.fake.reached('in');
      await recorder.control({ subtype: 'background_tasks', tool_use_id });
      await recorder.result();
      await recorder.control({ subtype: 'stop_task', task_id });
      await recorder.result(1);
      await recorder.control({ subtype: 'end_session' });
      await recorder.end();
    },
  },
  {
    name: 'a-subagent-in-a-subagent-behind',
    async run(recorder) {
      recorder.fake.script('deep', [text('Deep done.')]);
      recorder.fake.script('mid', [
        [text('I go deeper.'), agent('SCN:deep', false)],
        bash('touch m.txt'),
        text('Mid done.'),
      ]);
      recorder.fake.script('top', [agent('SCN:mid', true), text('Launched.')]);
      recorder.prompt('SCN:top');
      await recorder.result();
      await recorder.allow();
      await recorder.result(1);
      await recorder.end();
    },
  },
  {
    name: 'a-subagent-that-fails-and-asks-in-vain',
    extra: { CLAUDE_CODE_MAX_RETRIES: '1' },
    async run(recorder) {
      recorder.fake.script('in', [bash('echo in'), failure(500)]);
      recorder.fake.script('asks', [
        toolUse('AskUserQuestion', { questions: [question(1)] }),
        text('In asked.'),
      ]);
      recorder.fake.script('out', [[agent('SCN:in', false), agent('SCN:asks', false)], text('Out done.')]);
      recorder.prompt('SCN:out');
      await recorder.result();
      await recorder.end();
    },
  },
  {
    name: 'errors-of-every-kind-then-an-answer',
    async run(recorder) {
      recorder.fake.script('late', [
        [text('Tool first.'), bash('echo one')],
        attempts(failure(429, { retryAfter: 0 }), failure(500), text(['Cut ', cut()]), text('Recovered.')),
      ]);
      recorder.fake.script('broken', [
        attempts([text('I write.'), bash(`echo ${'x'.repeat(200)}`), streamError()], text('Again.')),
        text('Done.'),
      ]);
      recorder.prompt('SCN:late');
      await recorder.result();
      recorder.prompt('SCN:broken');
      await recorder.result(1);
      recorder.prompt('SCN:text after');
      await recorder.result(2);
      await recorder.end();
    },
  },
  {
    name: 'thoughts-cut-by-the-limit',
    async run(recorder) {
      recorder.fake.script('cut', [
        answer([thinking('A long thought'), text('half')], { stopReason: 'max_tokens' }),
        answer(text('Whole.'), { stopReason: 'stop_sequence' }),
      ]);
      recorder.prompt('SCN:cut');
      await recorder.result();
      await recorder.end();
    },
  },
  {
    name: 'four-questions-and-none-answered',
    async run(recorder) {
      const questions = [1, 2, 3, 4].map(question);
      recorder.fake.script('asks', [
        toolUse('AskUserQuestion', { questions }),
        toolUse('AskUserQuestion', { questions: questions.slice(1, 2) }),
        text('Thanks.'),
      ]);
      const answers = {
        'Question, "1"?': 'Yes, indeed',
        'Question, "2"?': 'Yes, indeed, Ünsure',
        'Question, "3"?': 'mine',
        'Question, "4"?': 'No',
      };
      recorder.prompt('SCN:asks');
      const first = await recorder.request();
      recorder.answer(first, { behavior: 'allow', updatedInput: { ...first.request.input, answers } });
      const second = await recorder.request(1);
      recorder.answer(second, allowed(second.request));
      await recorder.result();
      await recorder.end();
    },
  },
  {
    name: 'every-answer-to-a-permission',
    async run(recorder) {
      const commands = ['a', 'b', 'c', 'd'].map((name) => bash(`touch ${name}.txt`));
      recorder.fake.script('four', [...commands, text('Done.')]);
      recorder.prompt('SCN:four');
      const [a, b, c] = [await recorder.request(0), () => recorder.request(1), () => recorder.request(2)];
      recorder.answer(a, {
        behavior: 'allow',
        updatedInput: { ...a.request.input, command: 'touch other.txt' },
      });
      recorder.answer(await b(), { behavior: 'deny', message: '' });
      recorder.answer(await c(), { behavior: 'nonsense' });
      const { request, ...last } = await recorder.request(3);
      recorder.answer(last, { ...allowed(request), updatedPermissions: request.permission_suggestions });
      await recorder.result();
      await recorder.end();
    },
  },
  {
    name: 'without-partial-messages',
    flags: NO_PARTIALS,
    async run(recorder) {
      recorder.fake.script('mix', [
        [thinking('Hm.'), text('Text.'), bash('touch p.txt'), bash('echo two')],
        text('Done.'),
      ]);
      recorder.prompt('SCN:mix');
      await recorder.allow();
      await recorder.result();
      recorder.prompt('SCN:hold');
      await recorder.fake.reached('mid');
      await recorder.control(INTERRUPT);
      await recorder.result(1);
      for (const [index, words] of ['/cost', 'SCN:agent', '/compact', 'SCN:text after'].entries()) {
        recorder.prompt(words);
        await recorder.result(index + 2);
      }
      await recorder.end();
    },
  },
];
