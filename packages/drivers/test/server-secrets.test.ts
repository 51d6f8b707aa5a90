import { expect, test } from 'vitest';
import type { AgentStart, DriverSink, Output } from '../src/kit/port.ts';
import { hideSecrets } from '../src/kit/server-secrets.ts';

function collect() {
  const lines: string[] = [];
  const outputs: Output[] = [];
  const sink: DriverSink = {
    emit: (emitted) => void outputs.push(...emitted),
    record: (_, line) => void lines.push(line),
    spawned: () => undefined,
    ready: () => undefined,
    exited: () => undefined,
  };
  return { sink, lines, outputs };
}

const env = { KEY: 'a "quoted" secret', SHORT: 'yes' };
const headers = { Authorization: 'Bearer abc' };
const mcpServers: AgentStart['mcpServers'] = {
  local: { command: '/bin/server', env },
  web: { type: 'http', url: 'https://example.com/mcp', headers },
};

test('C19 keys of MCP servers are in neither the recording nor the sample of an unrecognized message', () => {
  const { sink, lines, outputs } = collect();
  const hiding = hideSecrets(sink, { mcpServers });
  const line = JSON.stringify({ type: 'unknown', env, ...headers });
  hiding.record('out', line);
  hiding.emit([{ kind: 'drift.counted', what: 'unknown', sample: line }]);
  const hidden = '{"type":"unknown","env":{"KEY":"(hidden)","SHORT":"yes"},"Authorization":"(hidden)"}';
  expect(lines).toEqual([hidden]);
  expect(outputs).toEqual([{ kind: 'drift.counted', what: 'unknown', sample: hidden }]);
});
