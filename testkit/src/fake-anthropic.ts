// The Messages API as a dialect of the scripted model, for Claude Code with its own protocol or ACP. Started by
// tests and benchmarks.
import { writeAnswer, writeFailure } from './answer-stream.ts';
import { type Dialect, type FakeModel, startFakeModel } from './fake-model.ts';
import {
  type CallKind,
  classify,
  findPrompt,
  type MessagesRequest,
  parseRequest,
  statedDirectory,
  statedPlanFile,
} from './messages-request.ts';

export type FakeAnthropic = FakeModel<MessagesRequest>;

const title = 'Scripted title';

function sideAnswer(kind: CallKind, request: MessagesRequest): string {
  if (kind === 'compaction') {
    return '<analysis>Scripted.</analysis>\n<summary>The user and the model exchanged scripted messages.</summary>';
  }
  if (kind === 'suggestion') return 'run the tests';
  if (kind === 'title') return request.output_config?.format ? JSON.stringify({ title }) : title;
  return 'Hi';
}

const messages: Dialect<MessagesRequest> = {
  read({ method, path, headers, text }) {
    const isCount = path === '/v1/messages/count_tokens';
    if (method !== 'POST' || !(isCount || path === '/v1/messages')) return 'stray';
    const body = parseRequest(text);
    if (body === undefined) return 'broken';
    return {
      kind: isCount ? 'count' : classify(body),
      body,
      prompt: findPrompt(body.messages),
      model: body.model,
      tools: (body.tools ?? []).map((tool) => tool.name ?? ''),
      cwd: statedDirectory(body),
      planFile: statedPlanFile(body),
      sessionId: headers['x-claude-code-session-id'],
      agentId: headers['x-claude-code-agent-id'],
    };
  },
  direct: ({ kind, body }) =>
    kind === 'count' ? { input_tokens: Math.ceil(JSON.stringify(body.messages).length / 4) } : undefined,
  aside: ({ kind, body }) => sideAnswer(kind, body),
  write: (answer, reply, { body }) => writeAnswer(answer, reply, body.stream === true),
  fail: writeFailure,
};

/** Starts the fake on a free loopback port with the scripts of scenarios.ts. */
export function startFakeAnthropic(): Promise<FakeAnthropic> {
  return startFakeModel(messages);
}
