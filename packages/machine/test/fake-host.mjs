// A minimal session host for server tests: reads its configuration on stdin, writes its ledger record, reports its
// address on descriptor 3, and speaks HostLink. It has no agent; the prompt's text controls it: `die` kills it before
// the receipt (`die always` each time), `leave` exits cleanly after it, `flood N` sends N kilobytes of live text,
// `garbage` sends invalid messages. A query is noted in a file and answered with a text of the requested length. Its changes are kept in a file.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';

const config = JSON.parse(readFileSync(0, 'utf8'));
const session = config.session;
const home = path.join(config.dataDirectory, 'sessions', session);
const record = path.join(config.dataDirectory, 'run', 'ledger', `host-${session}.json`);
const socket = path.join(config.runtimeDirectory, `f-${session.slice(0, 13)}.sock`);
const memory = path.join(home, 'fake-changes.json');
const secret = `secret-${process.pid}`;
mkdirSync(home, { recursive: true });
writeFileSync(path.join(home, 'fake-config.json'), JSON.stringify(config));
appendFileSync(path.join(home, 'fake-starts'), `${process.pid}\n`);

if (config.environment.FAKE_REFUSE) {
  writeSync(3, `${JSON.stringify({ error: { code: 'SESSION_LOCKED', message: 'locked by a test' } })}\n`);
  process.exit(1);
}

const stat = readFileSync('/proc/self/stat', 'latin1');
const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
// Atomic, like a real host: a test or the server may read it at any moment.
writeFileSync(
  `${record}.part`,
  JSON.stringify({
    id: `host-${session}`,
    purpose: 'host',
    identity: { pid: process.pid, started },
    session,
    socket,
    secret,
    program: config.environment.FAKE_PROGRAM ?? process.argv[1],
    linkVersion: 1,
  }),
);
renameSync(`${record}.part`, record);

const changes = existsSync(memory) ? JSON.parse(readFileSync(memory, 'utf8')) : [];
const clients = new Set();
let turn = 'idle';

const send = (client, message) => client.socket.write(`${JSON.stringify(message)}\n`);
const summary = () => ({
  type: 'summary',
  summary: {
    v: changes.length,
    agentState: 'connected',
    turn,
    waiting: 0,
    entries: changes.length,
    changedAt: changes.at(-1)?.at ?? 0,
    ...(changes[0]?.prompt ? { title: changes[0].prompt.text } : {}),
  },
});
const tellSummary = () => {
  for (const client of clients) if (client.watching) send(client, summary());
};

function leave() {
  rmSync(record, { force: true });
  rmSync(socket, { force: true });
  process.exit(0);
}

function command(client, { id, kind, text = '' }) {
  const [what, count] = text.split(' ');
  if (text === 'die always') process.kill(process.pid, 'SIGKILL');
  if (what === 'die' && !changes.some(({ cause }) => cause === id)) {
    change(id, text);
    process.kill(process.pid, 'SIGKILL');
  }
  if (!changes.some(({ cause }) => cause === id)) change(id, text);
  if (kind === 'turn.cancel') turn = 'idle';
  if (what === 'work') turn = 'running';
  send(client, { type: 'receipt', command: id, v: changes.length });
  tellSummary();
  if (what === 'garbage') {
    client.socket.write('this is not JSON\n');
    send(client, { type: 'nonsense' });
    send(client, { type: 'changes', changes: [{ v: 'one' }] });
  }
  if (what === 'flood') flood(client, Number(count));
  if (what === 'leave') leave();
}

function change(id, text) {
  changes.push({
    v: changes.length + 1,
    at: Date.now(),
    cause: id,
    kind: 'prompt.accepted',
    prompt: { id, text },
  });
  writeFileSync(memory, JSON.stringify(changes));
  const message = { type: 'changes', changes: [changes.at(-1)] };
  for (const client of clients) if (client.following) send(client, message);
}

/** Atomic: a test may read it at any moment. */
function note(progress) {
  const file = path.join(home, 'fake-flood');
  writeFileSync(`${file}.part`, progress);
  renameSync(`${file}.part`, file);
}

/** Waits for the socket like a real host, and records its progress. */
async function flood(client, kilobytes) {
  const text = 'x'.repeat(1024);
  for (let sent = 0; sent < kilobytes; sent++) {
    const taken = client.socket.write(
      `${JSON.stringify({ type: 'live', appends: [{ entry: 'e', field: 'text', at: sent * 1024, text }] })}\n`,
    );
    if (!taken) {
      note(String(sent));
      await new Promise((resolve) => client.socket.once('drain', resolve));
    }
  }
  note('done');
}

function handle(client, request) {
  if (request.type === 'protocol_init') {
    if (request.secret !== secret) {
      send(client, { type: 'error', code: 'UNAUTHORIZED', message: 'wrong secret' });
      client.socket.end();
      return;
    }
    send(client, { type: 'protocol_ack', version: 1, session });
  } else if (request.type === 'follow') {
    client.following = true;
    send(client, { type: 'changes', changes: changes.slice(request.v ?? 0) });
  } else if (request.type === 'watch') {
    client.watching = true;
    send(client, summary());
  } else if (request.type === 'command') command(client, request.command);
  else if (request.type === 'query') {
    appendFileSync(path.join(home, 'fake-queries'), `${request.command.what}\n`);
    send(client, {
      type: 'answer',
      id: request.command.id,
      ok: true,
      text: 'x'.repeat(request.command.input.length),
    });
  } else if (request.type === 'entries')
    send(client, { type: 'entries', page: { v: changes.length, from: 0, to: 0, entries: [] } });
  else if (request.type === 'end') leave();
}

const server = createServer((stream) => {
  const client = { socket: stream, following: false, watching: false };
  clients.add(client);
  let text = '';
  stream.on('data', (chunk) => {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop();
    for (const line of lines) handle(client, JSON.parse(line));
  });
  stream.on('error', () => stream.destroy());
  stream.on('close', () => clients.delete(client));
});
rmSync(socket, { force: true });
server.listen(socket, () => writeSync(3, `${JSON.stringify({ socket, secret })}\n`));
process.on('SIGTERM', leave);
