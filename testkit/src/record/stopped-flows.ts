// Flows that are interrupted while several entries are open, and messages sent during a running turn.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askingServers } from '../mcp-server.ts';
import { failure, hold, text, toolUse } from '../script.ts';
import { agent, bash, INTERRUPT, settings, UNTIL_GO } from './flow-parts.ts';
import type { RawLine, Recorded } from './recorder.ts';

const isTextDelta = (line: RawLine): boolean => line.event?.delta?.type === 'text_delta';
const isQueued = (line: RawLine): boolean => line.type === 'command_lifecycle' && line.state === 'queued';

export const STOPPED_FLOWS: readonly Recorded[] = [
  {
    name: 'interrupt-in-the-second-tool-of-a-message',
    async run(recorder) {
      const content = 'y'.repeat(300);
      recorder.fake.script('two', [
        [
          text('First and second.'),
          bash('echo first'),
          toolUse('Write', { file_path: 'x.txt', content }, { gate: 'json' }),
        ],
      ]);
      recorder.prompt('SCN:two');
      recorder.fake.release('json');
      recorder.fake.release('json');
      await recorder.until((line) => line.event?.index === 2 && line.event.delta?.partial_json);
      await recorder.control(INTERRUPT);
      await recorder.result();
      recorder.prompt('SCN:text after');
      await recorder.result(1);
      await recorder.end();
    },
  },
  {
    name: 'interrupt-with-two-subagents-asking',
    async run(recorder) {
      recorder.fake.script('l', [bash('touch l.txt'), text('l')]);
      recorder.fake.script('r', [bash('touch r.txt'), text('r')]);
      recorder.fake.script('both', [[agent('SCN:l', false), agent('SCN:r', false)], text('never')]);
      recorder.prompt('SCN:both');
      await recorder.request(1);
      await recorder.control(INTERRUPT);
      await recorder.result();
      recorder.prompt('SCN:text after');
      await recorder.result(1);
      await recorder.end();
    },
  },
  {
    name: 'interrupt-while-it-waits-to-ask-again',
    async run(recorder) {
      recorder.fake.script('over', [failure(529, { retryAfter: 30 })]);
      recorder.prompt('SCN:over');
      await recorder.until((line) => line.subtype === 'api_retry');
      await recorder.control(INTERRUPT);
      await recorder.result();
      recorder.prompt('SCN:text after');
      await recorder.result(1);
      await recorder.end();
    },
  },
  {
    name: 'interrupt-while-it-sums-up',
    async run(recorder) {
      recorder.prompt('One');
      await recorder.result();
      recorder.prompt('Two');
      await recorder.result(1);
      recorder.prompt('/compact');
      await recorder.until((line) => line.status === 'compacting');
      await recorder.control(INTERRUPT);
      await recorder.result(2);
      recorder.prompt('SCN:text after');
      await recorder.result(3);
      await recorder.end();
    },
  },
  {
    name: 'interrupt-while-a-server-asks',
    files: {
      '.mcp.json': JSON.stringify({ mcpServers: askingServers }),
      ...settings({ enableAllProjectMcpServers: true }),
    },
    async run(recorder) {
      recorder.fake.script('ask', [toolUse('mcp__asker__ask', { how: 'form' }), text('never')]);
      recorder.prompt('SCN:ask');
      await recorder.allow();
      await recorder.request(1);
      await recorder.control(INTERRUPT);
      await recorder.result();
      recorder.prompt('SCN:text after');
      await recorder.result(1);
      await recorder.end();
    },
  },
  {
    name: 'interrupt-twice-with-a-message-waiting',
    async run(recorder) {
      recorder.prompt('SCN:hold');
      await recorder.until(isTextDelta);
      recorder.prompt('SCN:text after');
      await recorder.until(isQueued, 1);
      const first = recorder.control(INTERRUPT);
      await recorder.control(INTERRUPT);
      await first;
      await recorder.until((line) => line.type === 'command_lifecycle' && line.state === 'completed');
      await recorder.end();
    },
  },
  {
    name: 'steer-while-a-subagent-works',
    async run(recorder) {
      recorder.fake.script('in', [bash(UNTIL_GO), text('In done.')]);
      recorder.fake.script('out', [agent('SCN:in', false), text('Out done.')]);
      recorder.prompt('SCN:out');
      await recorder.allow();
      recorder.prompt('Hurry');
      recorder.prompt('Later please', { priority: 'later' });
      recorder.prompt('No uuid here', { uuid: undefined });
      await recorder.until(isQueued, 2);
      writeFileSync(join(recorder.sandbox.project, 'go.txt'), '');
      await recorder.result(1);
      await recorder.end();
    },
  },
  {
    name: 'three-messages-merged-one-taken-back',
    async run(recorder) {
      recorder.prompt('SCN:hold');
      await recorder.until(isTextDelta);
      recorder.prompt('A');
      const back = recorder.prompt('B');
      recorder.prompt('SCN:text C');
      await recorder.until(isQueued, 3);
      await recorder.control({ subtype: 'cancel_async_message', message_uuid: back });
      recorder.fake.release('mid');
      await recorder.result(1);
      await recorder.end();
    },
  },
  {
    name: 'thrown-away-at-the-end',
    async run(recorder) {
      recorder.fake.script('stuck', [[hold('stuck'), text('never')]]);
      recorder.prompt('SCN:stuck');
      await recorder.fake.reached('stuck');
      recorder.prompt('Never read', { priority: 'later' });
      await recorder.until(isQueued, 1);
      await recorder.control({ subtype: 'end_session' });
      await recorder.end();
    },
  },
  {
    name: 'killed-while-a-subagent-works',
    async run(recorder) {
      recorder.fake.script('in', [bash('echo in'), [hold('stuck'), text('In.')]]);
      recorder.fake.script('out', [[text('I delegate.'), agent('SCN:in', false)], text('Out.')]);
      recorder.prompt('Remember');
      const { session_id } = await recorder.result();
      recorder.prompt('SCN:out');
      await recorder.fake.reached('stuck');
      await recorder.kill();
      recorder.start(['--resume', session_id]);
      recorder.prompt('SCN:text after');
      await recorder.result(1);
      await recorder.end();
    },
  },
];
