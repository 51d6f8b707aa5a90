// An ACP agent that behaves like a leftover: it ignores the end of stdin and SIGTERM and streams without pause. It
// writes its pid to AGENT_PIDS; one that finds another one alive reports it in AGENT_OVERLAPS.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { AGENT_PIDS: pids, AGENT_OVERLAPS: overlaps } = process.env;

/** A zombie is not alive. */
function isAlive(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}

for (const line of existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n') : []) {
  if (isAlive(Number(line))) appendFileSync(overlaps, `${line} ${process.pid}\n`);
}
appendFileSync(pids, `${process.pid}\n`);
process.on('SIGTERM', () => undefined);
// Exits eventually, so that a failed test does not leave it behind, but after every wait of a test: otherwise the test would
// pass without a watchdog.
const LIFE_S = 600;
setTimeout(() => process.exit(3), LIFE_S * 1_000);

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
process.stdout.on('error', () => undefined);

function stream(sessionId) {
  let n = 0;
  setInterval(() => {
    const text = `${String(n++).padStart(7, '0')} `;
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
    say({ method: 'session/update', params: { sessionId, update } });
  }, 1);
}

/** Far more than is kept for a client that does not read. */
function flood(id, sessionId) {
  for (let n = 0; n < 200; n++) {
    const text = `${String(n).padStart(7, '0')}${'x'.repeat(64 * 1024)} `;
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
    say({ method: 'session/update', params: { sessionId, update } });
  }
  say({ id, result: { stopReason: 'end_turn' } });
}

/** A command in its own session, as agents start them. */
function startCommand() {
  const child = spawn('/bin/sh', ['-c', `sleep ${LIFE_S} & wait`], { detached: true, stdio: 'ignore' });
  appendFileSync(pids, `${child.pid}\n`);
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') {
    say({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: true }, authMethods: [] } });
  } else if (method === 'session/new') say({ id, result: { sessionId: 'the-one' } });
  else if (method === 'session/prompt' && params.prompt[0].text === 'flood') flood(id, params.sessionId);
  else if (method === 'session/prompt' && params.prompt[0].text === 'command') startCommand();
  else if (method === 'session/prompt') stream(params.sessionId);
  else say({ id, result: {} });
});
