/**
 * `tugdeck password` (X1): sets the password for browsers on other machines. Never an argument, which others could
 * see in the process list: typed without echo, or one line on stdin. A change signs everyone out.
 */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { findServer, requestServer } from '@tugdeck/gateway/control/control-client';
import {
  MAX_PASSWORD,
  MIN_PASSWORD,
  removePassword,
  savePassword,
} from '@tugdeck/gateway/transport/password';
import { makeDataDirectory } from '@tugdeck/local/data-directory';
import { openStore } from '@tugdeck/store/store';
import { UsageError } from '../command-line.ts';
import { hasStore } from '../sessions/store-services.ts';
import type { Command, Context } from './context.ts';

export const password: Command = async (context) => {
  const { settings, line, print } = context;
  const { data } = settings;
  makeDataDirectory(data.root);
  if (line.flags.has('remove')) {
    removePassword(data.password);
    await signOutAll(context);
    print('Password removed: only this machine can connect. All browsers are signed out.');
    return 0;
  }
  const typed = process.stdin.isTTY
    ? await typeTwice()
    : (await readAll(process.stdin)).replace(/\r?\n$/, '');
  if (typed.length < MIN_PASSWORD)
    throw new UsageError(`the password must have at least ${MIN_PASSWORD} characters`);
  if (typed.length > MAX_PASSWORD)
    throw new UsageError(`the password must have at most ${MAX_PASSWORD} characters`);
  await savePassword(data.password, typed);
  await signOutAll(context);
  print(
    'Password set; only its hash is stored. All browsers are signed out. Use tugdeck url to sign in on this machine.',
  );
  return 0;
};

async function signOutAll(context: Context): Promise<void> {
  const { data } = context.settings;
  const server = findServer(data.ledger, context.settings.configuration.timings);
  if (server) {
    await requestServer(server, { type: 'sign-out-all' });
    return;
  }
  if (!hasStore(context)) return;
  const store = openStore(data.database);
  try {
    store.signIns.removeAll();
  } finally {
    store.close();
  }
}

async function typeTwice(): Promise<string> {
  const first = await typeHidden('Password: ');
  const second = await typeHidden('Confirm password: ');
  if (first !== second) throw new UsageError("the passwords don't match; nothing was changed");
  return first;
}

async function typeHidden(question: string): Promise<string> {
  process.stderr.write(question);
  // Discards the echo.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  lines.once('SIGINT', () => process.exit(130));
  try {
    return await lines.question('');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
