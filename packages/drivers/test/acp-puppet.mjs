// A test agent that follows `PUPPET` (JSON): a list of steps for each method. `send` writes a message ("$id" is the
// id of the current request), `wait` continues after a message with that method or a response to that id, `become`
// changes the script. Received messages are written to stderr for the test.
import { createInterface } from 'node:readline';

const script = {
  initialize: [{ send: { id: '$id', result: { protocolVersion: 1, agentCapabilities: {} } } }],
  'session/new': [{ send: { id: '$id', result: { sessionId: 's1' } } }],
  'session/prompt': [{ send: { id: '$id', result: { stopReason: 'end_turn' } } }],
  ...JSON.parse(process.env.PUPPET ?? '{}'),
};
const received = [];
const waiting = new Set();

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  process.stderr.write(`${line}\n`);
  received.push(message);
  for (const check of [...waiting]) check();
  const steps = message.method === undefined ? undefined : script[message.method];
  if (steps) perform(steps, message.id);
  else if (message.id !== undefined && message.method !== undefined) {
    write({ id: message.id, error: { code: -32601, message: 'Method not found' } });
  }
});

async function perform(steps, id) {
  for (const step of steps) {
    if ('wait' in step) await until(step.wait);
    else if ('raw' in step) process.stdout.write(`${step.raw}\n`);
    else if ('become' in step) Object.assign(script, step.become);
    else write(JSON.parse(JSON.stringify(step.send).replaceAll('"$id"', JSON.stringify(id))));
  }
}

function until(what) {
  return new Promise((resolve) => {
    const check = () => {
      const here = received.some(
        ({ method, id }) => method === what || (method === undefined && id === what),
      );
      if (!here) return;
      waiting.delete(check);
      resolve();
    };
    waiting.add(check);
    check();
  });
}

function write(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
