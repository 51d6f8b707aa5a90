// The reason why `@` completes no MCP resources (C9): the real, pinned agent lists none. When this test fails, the
// agent has started to, and the composer can offer them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ClaudeLine, startClaude } from '../src/claude-process.ts';
import { startFakeAnthropic } from '../src/fake-anthropic.ts';
import { resourceServers } from '../src/mcp-server.ts';
import { createSandbox } from '../src/temp.ts';
import { isFullTier } from '../src/tiers.ts';

const REQUESTS = [
  { subtype: 'mcp_status' },
  { subtype: 'file_suggestions', query: '' },
  { subtype: 'file_suggestions', query: 'notes' },
  { subtype: 'file_suggestions', query: 'notes:' },
  { subtype: 'mcp_call', tool: 'ListMcpResourcesTool', arguments: {} },
  { subtype: 'mcp_read_resource', serverName: 'notes', uri: 'notes://today' },
  { subtype: 'mcp_list_resources', serverName: 'notes' },
];

test.skipIf(!isFullTier)(
  'C9 the agent lists no MCP resources to a client and expands no mentions',
  async () => {
    const fake = await startFakeAnthropic();
    const sandbox = await createSandbox();
    const log = join(sandbox.home, 'asked.txt');
    const config = JSON.stringify({ mcpServers: resourceServers(log) });
    const claude = startClaude(sandbox, fake, { args: ['--mcp-config', config] });
    const isResult = ({ type }: ClaudeLine) => type === 'result';
    claude.prompt('hello');
    await claude.line(isResult, 'the end of the first turn');
    expect(readFileSync(log, 'utf8')).toContain('resources/list');
    for (const [at, request] of REQUESTS.entries()) {
      claude.send({ type: 'control_request', request_id: `ask-${at}`, request });
      const isAnswer = (line: ClaudeLine) =>
        line.type === 'control_response' && JSON.stringify(line).includes(`"ask-${at}"`);
      const answer = JSON.stringify(await claude.line(isAnswer, request.subtype));
      expect(answer).not.toContain('notes://today');
      if (request.subtype === 'mcp_status') expect(answer).toContain('"status":"connected"');
    }
    const from = claude.lines.length;
    claude.prompt('Look at @notes:notes://today please');
    await claude.line(isResult, 'the end of the second turn', from);
    expect(readFileSync(log, 'utf8')).not.toContain('resources/read');
    await claude.end();
    await fake.close();
    await sandbox.dispose();
  },
);
