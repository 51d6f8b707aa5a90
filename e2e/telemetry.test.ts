import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { finished, openPlace, type Place } from './command.ts';

const program = fileURLToPath(new URL('../dist/tugdeck.mjs', import.meta.url));
const recorder = fileURLToPath(new URL('./connection-recorder.cjs', import.meta.url));
const LOCAL = new Set(['started', 'local socket', 'localhost', '127.0.0.1', '::1']);

let place: Place;
beforeEach(async () => {
  place = await openPlace();
});
afterEach(() => place?.close());

/** Starts Node with the recorder, which the processes that it starts inherit. */
function recorded(...args: string[]) {
  const file = join(place.sandbox.root, 'connections.jsonl');
  const env = { ...place.environment, NODE_OPTIONS: `--require=${recorder}`, RECORD_CONNECTIONS: file };
  const child = spawn(process.execPath, args, { env, cwd: place.sandbox.project });
  const connections = (): { program: string; to: string }[] =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { child, connections };
}

test('X5 connects to no other machine from start to stop, with a session and a search', async () => {
  const { child, connections } = recorded(program, '--no-open');
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  const run = (...args: string[]) => finished(recorded(program, ...args).child);
  expect(await run('send', '--new', '--agent', 'demo', '--wait', 'help')).toMatchObject({ code: 0 });
  await run('sessions', 'search', 'anything');
  expect(await run('stop', '--all')).toMatchObject({ code: 0 });
  await exited;
  const programs = new Set(connections().map((one) => one.program));
  for (const name of ['tugdeck.mjs', 'keeper.cjs', 'reader.mjs', 'host.mjs'])
    expect(programs).toContain(name);
  expect(connections().filter(({ to }) => !LOCAL.has(to))).toEqual([]);
});

test('X5 the recorder sees a connection to another machine', async () => {
  const call = "require('node:net').connect(9, '192.0.2.1').on('error', () => {}).destroy()";
  const { child, connections } = recorded('-e', call);
  await once(child, 'exit');
  expect(connections().map(({ to }) => to)).toContain('192.0.2.1');
});
