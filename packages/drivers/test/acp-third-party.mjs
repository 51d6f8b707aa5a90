// A small agent written only from the public documentation of the Agent Client Protocol, independent of this project:
// overview, initialization, session setup, prompt turn, tool calls.
import { createInterface } from 'node:readline';

let nextId = 1000;
let sessions = 0;
const pending = new Map();
const cancelled = new Map();

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (sessionId, body) => send({ method: 'session/update', params: { sessionId, update: body } });
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = nextId++;
    pending.set(id, resolve);
    send({ id, method, params });
  });
const words = (sessionId, text) =>
  update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

async function prompt(sessionId, text) {
  words(sessionId, "I'll analyze your request. ");
  if (text.startsWith('wait')) {
    await new Promise((resolve) => cancelled.set(sessionId, resolve));
    return 'cancelled';
  }
  if (text.startsWith('change')) {
    const toolCallId = `call_${nextId++}`;
    const tool = { toolCallId, title: 'Analyzing code', kind: 'other', status: 'pending' };
    update(sessionId, { sessionUpdate: 'tool_call', ...tool });
    const { outcome } = await ask('session/request_permission', {
      sessionId,
      toolCall: { toolCallId },
      options: [
        { optionId: 'allow-once', name: 'Allow once', kind: 'allow_once' },
        { optionId: 'reject-once', name: 'Reject', kind: 'reject_once' },
      ],
    });
    if (outcome.outcome === 'cancelled') return 'cancelled';
    const status = outcome.optionId === 'allow-once' ? 'completed' : 'failed';
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' });
    const content = [{ type: 'content', content: { type: 'text', text: 'Analysis complete' } }];
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status, content });
  }
  words(sessionId, 'Done.');
  return 'end_turn';
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) {
    pending.get(id)?.(result);
    pending.delete(id);
  } else if (method === 'initialize') {
    send({
      id,
      result: { protocolVersion: params.protocolVersion, agentCapabilities: { loadSession: false } },
    });
  } else if (method === 'session/new') {
    send({ id, result: { sessionId: `sess_${++sessions}` } });
  } else if (method === 'session/prompt') {
    const stopReason = await prompt(params.sessionId, params.prompt[0].text);
    send({ id, result: { stopReason } });
  } else if (method === 'session/cancel') {
    cancelled.get(params.sessionId)?.();
  } else if (id !== undefined) {
    send({ id, error: { code: -32601, message: 'Method not found' } });
  }
});
