#!/usr/bin/env node
// Stands between a session host and an agent: `witness.mjs FILE PROGRAM [args]`. Notes the name of every prompt that
// passes to the agent's stdin in FILE, and where a prompt asks for it puts garbage between the lines of its stdout.
// Everything else passes as it is.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file = '', program = '', ...args] = process.argv.slice(2);
const MB = 1024 * 1024;

/** @type {Record<string, () => (string | Buffer)[]>} */
const GARBAGE = {
  torn: () => ['{"type":"assistant","message":{"content":[{"type":"te', 'xt","text":"half"}]}}', '{', ''],
  huge: () => [`{"type":"stream_event","padding":"${'x'.repeat(50 * MB)}"}`],
  utf8: () => [Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x00, 0x22, 0x7d])],
  unknown: () => [
    '{"type":"never_heard_of","subtype":"it","uuid":"u"}',
    '{"jsonrpc":"2.0","method":"session/never_heard_of","params":{"sessionId":"x"}}',
    '{"jsonrpc":"2.0","id":987654,"result":{"stopReason":"end_turn"}}',
    '{"type":"control_response","response":{"subtype":"success","request_id":"nobody","response":{}}}',
    'null',
    '[]',
    '"a string"',
    '{"__proto__":{"polluted":true},"type":"assistant","message":null}',
  ],
  deep: () => [`${'['.repeat(200_000)}${']'.repeat(200_000)}`],
};

const agent = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
/** @type {(string | Buffer)[]} */
let spoilt = [];

createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  .on('line', (line) => {
    if (isPrompt(line)) {
      const name = /\bn[0-9a-f]{8}x\d+\b/.exec(line)?.[0];
      if (name !== undefined) appendFileSync(file, `${name}\n`);
      const kind = /garbage:(\w+)/.exec(line)?.[1] ?? '';
      if (Object.hasOwn(GARBAGE, kind)) spoilt = GARBAGE[kind]?.() ?? [];
    }
    agent.stdin.write(`${line}\n`);
  })
  .once('close', () => agent.stdin.end());

// Bytes pass as they are; only between two lines something may come in.
let rest = Buffer.alloc(0);
agent.stdout.on('data', (/** @type {Buffer} */ chunk) => {
  const bytes = Buffer.concat([rest, chunk]);
  const end = bytes.lastIndexOf(10) + 1;
  rest = bytes.subarray(end);
  if (end === 0) return;
  for (const line of spoilt) {
    process.stdout.write(line);
    process.stdout.write('\n');
  }
  spoilt = [];
  if (!process.stdout.write(bytes.subarray(0, end))) {
    agent.stdout.pause();
    process.stdout.once('drain', () => agent.stdout.resume());
  }
});
agent.stdin.on('error', () => undefined);
process.stdout.on('error', () => undefined);
for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGTERM', 'SIGINT']))
  process.on(signal, () => agent.kill(signal));
agent.once('error', () => process.exit(127));
agent.once('exit', (code, signal) => {
  agent.stdout.once('close', () => process.exit(code ?? (signal ? 1 : 0)));
});

/** @param {string} line */
function isPrompt(line) {
  try {
    const { type, method } = JSON.parse(line);
    return type === 'user' || method === 'session/prompt';
  } catch {
    return false;
  }
}
