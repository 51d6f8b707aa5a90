/** Error codes before a page is open, or caused by the machine: sign-in, startup, data, internal errors. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { replayFile } from '@tugdeck/drivers/known-drivers';
import { dataDirectory, makePrivate } from '@tugdeck/local/data-directory';
import { ensureMachineId } from '@tugdeck/local/machine';
import { readConfiguration } from '@tugdeck/machine/configuration';
import type { ErrorReport } from '@tugdeck/protocol/wire/errors';
import { openDatabase } from '@tugdeck/store/database';
import { MIGRATIONS } from '@tugdeck/store/migrations';
import type { RunningServer } from '../../src/main.ts';
import { savePassword } from '../../src/transport/password.ts';
import { pageWithSession, pairedDevice } from '../test-server.ts';
import { type ErrorCases, errorOf, pageAt, rejectionOf, type World } from './world.ts';

/** A loopback address that counts as public; nobody else can reach it. */
const HOST = '127.0.0.2';

async function wrongPassword({ another }: World): Promise<ErrorReport> {
  const place = another();
  makePrivate(place.root);
  await savePassword(dataDirectory(place.root).password, 'correct horse battery');
  const { origin } = await place.start({ config: { port: 0, host: HOST, plainHttp: true } });
  const answer = await fetch(`${origin}/sign-in`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'password=wrong',
  });
  const [, code, words = ''] = /data-code="(\w+)">(.*?)<\/p>/.exec(await answer.text()) ?? [];
  const [message, hint] = words.split(/(?<=\.) /);
  return errorOf(Promise.resolve({ code, message, hint }));
}

async function limitedDevice({ place, server }: World): Promise<ErrorReport> {
  return pageAt(`${server.origin}/api/browse`, await (await pairedDevice(place)).proof('/api/browse'));
}

async function usedToken({ origin }: RunningServer): Promise<ErrorReport> {
  const answer = fetch(`${origin}/api/sign-in`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ token: 'used' }),
  });
  return errorOf(answer.then((response) => response.json()));
}

export const TRANSPORT_CASES = {
  UNAUTHORIZED: {
    provoke: ({ server }) => pageAt(`${server.origin}/api/me`),
  },
  FORBIDDEN_ORIGIN: {
    provoke: ({ server }) => pageAt(`${server.origin}/`, { origin: 'https://elsewhere.test' }),
  },
  TOKEN_INVALID: {
    provoke: ({ server }) => usedToken(server),
  },
  DEVICE_LIMITED: { provoke: limitedDevice },
  NOT_FOUND: {
    provoke: ({ server }) => pageAt(`${server.origin}/nothing`),
  },
  PASSWORD_WRONG: { provoke: wrongPassword },
  EXPOSURE_REFUSED: {
    provoke: ({ another }) => rejectionOf(another().start({ config: { port: 0, host: HOST } })),
    says: /no password is set/,
    advises: /./,
  },
  DATA_NEWER: {
    provoke({ another }) {
      const place = another();
      makePrivate(place.root);
      const newer = openDatabase(dataDirectory(place.root).database);
      newer.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1};`);
      newer.close();
      return rejectionOf(place.start());
    },
    says: /has schema version \d+, but this version only supports \d+\. The file was not changed\.$/,
  },
  MACHINE_CHANGED: {
    async provoke({ another }) {
      const { root } = another();
      makePrivate(root);
      ensureMachineId({ root }, undefined, { machine: 'one' });
      return rejectionOf(
        Promise.resolve().then(() => ensureMachineId({ root }, undefined, { machine: 'two' })),
      );
    },
  },
  DATA_UNREADABLE: {
    async provoke({ base }) {
      const file = join(base, 'config.json');
      writeFileSync(file, '{ "port": ');
      return rejectionOf(Promise.resolve().then(() => readConfiguration(file)));
    },
    says: /config\.json: /,
    advises: 'Fix the file or move it away.',
  },
  DATA_UNWRITABLE: {
    provoke({ base, another }) {
      const taken = join(base, 'taken');
      writeFileSync(taken, 'a file where a folder is wanted');
      return rejectionOf(another().start({ dataRoot: join(taken, 'data') }));
    },
    says: /taken\/data cannot be created or written to \(ENOTDIR\)\.$/,
    advises: 'Fix its owner, or choose another with --data-dir.',
  },
  DATA_UNSAFE: {
    provoke({ another }) {
      const place = another();
      makePrivate(place.root);
      chmodSync(place.root, 0o777);
      return rejectionOf(place.start()).finally(() => chmodSync(place.root, 0o700));
    },
    says: /^Other users can change \S+ \(mode 777\)\.$/,
    advises:
      /^Check its contents, then run chmod 700 \S+, or choose another data directory with --data-dir\.$/,
  },
  AGENT_PROTOCOL_ERROR: {
    provoke: () =>
      rejectionOf(
        Promise.resolve().then(() => replayFile('gemini', ['{"t":1,"dir":"out","line":{"hello":"world"}}'])),
      ),
    says: 'This is not a recording of the protocol that this agent speaks.',
  },
  INTERNAL_ERROR: {
    async provoke({ another }) {
      const place = another();
      const { page } = await pageWithSession(place, await place.start());
      const store = openDatabase(dataDirectory(place.root).database);
      store.exec('DROP TABLE layouts');
      store.close();
      return errorOf(page.request({ type: 'layout.save', version: 1, layout: '{}' }));
    },
  },
} satisfies ErrorCases;
