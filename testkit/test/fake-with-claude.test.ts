// The fake model with the real, pinned claude: the basis of every end-to-end test.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { claudeVersion } from '../src/agents.ts';
import { type ClaudeLine, type ClaudeProcess, startClaude } from '../src/claude-process.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../src/fake-anthropic.ts';
import { findByEnvironment, waitFor } from '../src/process-facts.ts';
import { longAnswer, madeFile, planText, projectFiles, shortAnswer, slowCommand } from '../src/scenarios.ts';
import { attempts, cut, failure, hold, streamError, text } from '../src/script.ts';
import { createSandbox, type Sandbox } from '../src/temp.ts';

/** Only in the full tier: every test with this agent depends on it and would fail as well. */
const testFull = test.skipIf(process.env.TUGDECK_TEST_FULL !== '1');

// Each test has a new fake and sandbox, and starts the agent itself.
let fake: FakeAnthropic;
let sandbox: Sandbox;

beforeAll(() => {
  // Variables that an enclosing agent or a developer's shell might set; none may reach the agent.
  vi.stubEnv('ANTHROPIC_API_KEY', 'key-of-the-developer');
  vi.stubEnv('ANTHROPIC_BASE_URL', 'http://model.invalid');
  vi.stubEnv('CLAUDE_CONFIG_DIR', '/config-of-the-developer');
});

afterAll(() => {
  vi.unstubAllEnvs();
});

beforeEach(async () => {
  fake = await startFakeAnthropic();
  sandbox = await createSandbox({ files: projectFiles });
});

afterEach(async () => {
  await fake.close();
  await sandbox.dispose();
});

const isResult = (line: ClaudeLine): boolean => line.type === 'result';
const isRequest = (line: ClaudeLine): boolean => line.type === 'control_request';
const isRetry = (line: ClaudeLine): boolean => line.subtype === 'api_retry';

interface Delta {
  readonly delta?: { readonly type?: string; readonly text?: string; readonly thinking?: string };
}

function streamed(claude: ClaudeProcess, kind: 'text' | 'thinking' = 'text'): string {
  return claude.lines
    .filter((line) => line.type === 'stream_event')
    .map((line) => (line.event as Delta).delta?.[kind] ?? '')
    .join('');
}

async function runTurn(claude: ClaudeProcess, prompt: string): Promise<ClaudeLine> {
  const from = claude.lines.length;
  claude.prompt(prompt);
  return claude.line(isResult, 'result', from);
}

test('A4 the pinned claude streams the scripted text in a clean environment', async () => {
  const claude = startClaude(sandbox, fake);
  const result = await runTurn(claude, 'SCN:text hello');
  expect(result).toMatchObject({ subtype: 'success', is_error: false, result: shortAnswer });
  expect(streamed(claude)).toBe(shortAnswer);
  const init = await claude.line((line) => line.subtype === 'init', 'init');
  expect(init).toMatchObject({ cwd: sandbox.project, claude_code_version: claudeVersion });

  expect(findByEnvironment(`HOME=${sandbox.home}`)).toContain(claude.pid);
  const environment = readFileSync(`/proc/${claude.pid}/environ`, 'utf8').split('\0');
  expect(environment.filter((entry) => /OF-THE-DEVELOPER|model\.invalid/i.test(entry))).toEqual([]);
  const names = environment.filter((entry) => entry !== '').map((entry) => entry.split('=')[0]);
  expect(names.sort()).toEqual([
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_BASE_URL',
    'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
    'CLAUDE_CODE_MAX_RETRIES',
    'DISABLE_AUTOUPDATER',
    'DISABLE_TELEMETRY',
    'HOME',
    'HTTPS_PROXY',
    'HTTP_PROXY',
    'IS_SANDBOX',
    'LANG',
    'NO_PROXY',
    'PATH',
    'TMPDIR',
  ]);
  expect(fake.requests.map((call) => call.headers['x-api-key'])).toEqual(['dummy']);
  expect(fake.requests[0]).toMatchObject({ kind: 'answer', keyword: 'text', step: 0, outcome: 'complete' });
  expect(fake.strayRequests).toEqual([]);

  expect(await claude.end()).toBe(0);
  expect(existsSync(join(sandbox.home, '.claude', 'projects'))).toBe(true);
});

testFull('A4 thinking, echo and the long answer arrive byte for byte in one session', async () => {
  const claude = startClaude(sandbox, fake);
  await runTurn(claude, 'SCN:thinking');
  expect(streamed(claude, 'thinking')).toContain('I consider two ways');
  expect(await runTurn(claude, 'no marker at all')).toMatchObject({ result: 'You said: no marker at all' });
  expect(await runTurn(claude, 'SCN:not-scripted hi')).toMatchObject({ result: 'You said: hi' });
  // The CLI trims the result line; the blocks are exact.
  const from = claude.lines.length;
  await runTurn(claude, 'SCN:long');
  const deltas = claude.lines.slice(from).filter((line) => (line.event as Delta)?.delta?.text !== undefined);
  expect(deltas.map((line) => (line.event as Delta).delta?.text).join('')).toBe(longAnswer);
  expect(deltas.length).toBeGreaterThan(3_500);
  expect(deltas.length).toBeLessThan(4_500);
});

testFull('A3 a tool waits for permission over the control protocol', async () => {
  const claude = startClaude(sandbox, fake);
  claude.prompt('SCN:bash');
  const request = await claude.line(isRequest, 'permission request');
  expect(request.request).toMatchObject({ subtype: 'can_use_tool', tool_name: 'Bash' });
  expect(existsSync(join(sandbox.project, madeFile))).toBe(false);
  claude.answer(request, { behavior: 'allow' });
  expect(await claude.line(isResult, 'result')).toMatchObject({ result: 'The file is made.' });
  expect(existsSync(join(sandbox.project, madeFile))).toBe(true);
  expect(fake.requests.map((call) => `${call.keyword}/${call.step}`)).toEqual(['bash/0', 'bash/1']);
});

testFull('A5 edit, several tools, subagent, question and plan work with sandbox paths', async () => {
  const claude = startClaude(sandbox, fake);
  const asked: unknown[] = [];
  for (const keyword of ['edit', 'read', 'write', 'several', 'agent', 'question', 'plan']) {
    claude.prompt(`SCN:${keyword}`);
    let from = claude.lines.length;
    for (;;) {
      const line = await claude.line((one) => isResult(one) || isRequest(one), `end of ${keyword}`, from);
      from = claude.lines.indexOf(line) + 1;
      if (isResult(line)) {
        expect(line).toMatchObject({ subtype: 'success', is_error: false });
        break;
      }
      const { tool_name, input } = line.request as { tool_name: string; input: Record<string, unknown> };
      asked.push(tool_name);
      if (tool_name === 'ExitPlanMode') expect(input.plan).toBe(planText);
      claude.answer(line, { behavior: 'allow' });
    }
  }
  expect(asked).toEqual(['Edit', 'Write', 'Write', 'AskUserQuestion', 'ExitPlanMode']);
  expect(readFileSync(join(sandbox.project, 'src/greet.ts'), 'utf8')).toContain('name.trim()');
  const child = fake.requests.filter((call) => call.keyword === 'agent-child');
  expect(child.map((call) => call.agentId !== undefined)).toEqual([true, true]);
  const failedTools = JSON.stringify(claude.lines).match(/"is_error":true/g);
  expect(failedTools).toBeNull();
});

testFull('A8 the agent recovers from overload, a cut socket and a stream error', async () => {
  fake.script('twice', [attempts(failure(529, { retryAfter: 0 }), failure(500), text('third time lucky'))]);
  fake.script('cut', [attempts(text(['abandoned half ', cut()]), text('whole'))]);
  // After a complete block the CLI keeps it and asks to continue; inside a block it drops it and retries without a
  // stream.
  fake.script('between', [[text('kept half, '), streamError()], text('other half')]);
  fake.script('inside', [attempts(text(['dropped half', streamError()]), text('whole again'))]);
  const claude = startClaude(sandbox, fake);
  expect(await runTurn(claude, 'SCN:twice')).toMatchObject({ is_error: false, result: 'third time lucky' });
  expect(claude.lines.filter(isRetry).map((line) => line.error_status)).toEqual([529, 500]);
  expect(await runTurn(claude, 'SCN:cut')).toMatchObject({ is_error: false, result: 'whole' });
  expect(fake.requests.filter((call) => call.keyword === 'cut').map((call) => call.outcome)).toEqual([
    'cut',
    'complete',
  ]);
  expect(await runTurn(claude, 'SCN:between')).toMatchObject({ is_error: false, result: 'other half' });
  expect(streamed(claude)).toContain('kept half, other half');
  expect(await runTurn(claude, 'SCN:inside')).toMatchObject({ is_error: false, result: 'whole again' });
  const inside = fake.requests.filter((call) => call.keyword === 'inside');
  expect(inside.map((call) => `${call.body.stream} ${call.outcome}`)).toEqual([
    'true failed',
    'false complete',
  ]);
  expect(await runTurn(claude, 'SCN:forbidden')).toMatchObject({ is_error: true, api_error_status: 403 });
});

testFull('H8 a held stream continues after its release, and an interrupt closes it', async () => {
  fake.script('stuck', [text(['before', hold('stuck'), 'never sent'])]);
  const claude = startClaude(sandbox, fake);
  claude.prompt('SCN:hold');
  await fake.reached('mid');
  await waitFor(() => streamed(claude).endsWith('The first half. '), { what: 'the first half on stdout' });
  expect(claude.lines.some(isResult)).toBe(false);
  fake.release('mid');
  expect(await claude.line(isResult, 'result')).toMatchObject({ result: 'The first half. The second half.' });

  const from = claude.lines.length;
  claude.prompt('SCN:stuck');
  await fake.reached('stuck');
  claude.send({ type: 'control_request', request_id: 'stop', request: { subtype: 'interrupt' } });
  const call = await fake.called({ keyword: 'stuck', outcome: 'closed-by-client' });
  expect(call.step).toBe(0);
  const result = await claude.line(isResult, 'result of the interrupt', from);
  expect(result.subtype).toBe('error_during_execution');
});

testFull('H8 the slow command runs until the agent is killed, and no process is left', async () => {
  const claude = startClaude(sandbox, fake);
  claude.prompt('SCN:bash-slow');
  const request = await claude.line(isRequest, 'permission request');
  expect(request.request).toMatchObject({ input: { command: slowCommand } });
  claude.answer(request, { behavior: 'allow' });
  await waitFor(() => sandbox.strays().length > 1, { what: 'the command to run' });
  const running = sandbox.strays();
  await sandbox.dispose();
  expect(running).toContain(claude.pid);
  expect(sandbox.strays()).toEqual([]);
  expect(existsSync(sandbox.root)).toBe(false);
});
