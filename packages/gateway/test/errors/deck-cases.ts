/** Error codes of the deck: projects, sessions, agents, hosts, terminals, settings. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { connectHost } from '@tugdeck/machine/hosts/host-connection';
import { agentTerminalLaunch } from '@tugdeck/machine/terminals/agent-terminal';
import { searchSchema } from '@tugdeck/protocol/search/search';
import { ERRORS } from '@tugdeck/protocol/wire/errors';
import { encodeFrame, FEED } from '@tugdeck/protocol/wire/frames';
import { HOST_LINK_OLDEST } from '@tugdeck/protocol/wire/version';
import { findServer, requestServer } from '../../src/control/control-client.ts';
import { pageWithSession, prompt, signIn, TestPage } from '../test-server.ts';
import { type ErrorCases, errorOf, rejectionOf } from './world.ts';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const session = () => crypto.randomUUID();

export const DECK_CASES = {
  INVALID_MESSAGE: {
    provoke: ({ page, session: known }) =>
      errorOf(page.request({ type: 'session.rename', session: known, title: '  ' })),
    says: 'A title needs at least one character.',
  },
  PROJECT_PATH_INVALID: {
    provoke: ({ page }) => errorOf(page.request({ type: 'project.add', path: '/no/such/folder' })),
    says: /^\/no\/such\/folder: /,
  },
  PROJECT_DUPLICATE: {
    provoke: ({ page, place }) => errorOf(page.request({ type: 'project.add', path: place.project })),
  },
  PROJECT_NOT_FOUND: {
    provoke: ({ page }) =>
      errorOf(
        page.request({ type: 'session.create', session: session(), project: UNKNOWN_ID, agent: 'tester' }),
      ),
  },
  PROJECT_UNTRUSTED: {
    async provoke({ page, base }) {
      const path = join(base, 'brought');
      mkdirSync(join(path, '.gemini'), { recursive: true });
      writeFileSync(join(path, '.gemini', 'settings.json'), '{"hooks":{"Start":[{"command":"./x"}]}}');
      await page.request({ type: 'project.add', path });
      const { deck } = await page.welcome();
      const project = deck.projects.find((one) => one.path.endsWith('brought'))?.id;
      return errorOf(page.request({ type: 'session.create', session: session(), project, agent: 'gemini' }));
    },
  },
  SESSION_NOT_FOUND: {
    provoke: ({ page }) => errorOf(page.request({ type: 'channel.open', channel: 90, session: UNKNOWN_ID })),
  },
  SESSION_EMPTY: {
    provoke: ({ page, session: of }) =>
      errorOf(page.request({ type: 'session.fork', session: session(), of })),
  },
  SESSION_TAKEN: {
    async provoke({ page, project }) {
      const create = {
        type: 'session.create',
        project,
        agent: 'tester',
        from: { kind: 'resume', id: 'theirs' },
      };
      await page.request({ ...create, session: session() });
      return errorOf(page.request({ ...create, session: session() }));
    },
    says: /^This session is already here: “.+”\.$/,
    advises: 'Open it, or fork it.',
  },
  CHANNEL_NOT_OPEN: {
    provoke: ({ page }) => errorOf(page.request({ type: 'channel.close', channel: 99 })),
  },
  AGENT_UNAVAILABLE: {
    provoke: ({ page, project }) =>
      errorOf(page.request({ type: 'session.create', session: session(), project, agent: 'absent' })),
    says: 'absent was not found on the PATH.',
    advises: 'Fix its command in the settings or in config.json.',
  },
  HOST_UNAVAILABLE: {
    async provoke({ page }) {
      page.send(FEED.conversationIn, 1, prompt('die always'));
      return errorOf(page.hostMessage(1, ({ type }) => type === 'error'));
    },
    says: 'The session host crashed several times in a row.',
  },
  HOST_VERSION: {
    async provoke({ base }) {
      const socket = join(base, 'host.sock');
      const host = createServer((client) => {
        client.on('error', () => client.destroy()).resume();
        // Sent by a host: see packages/host/src/link.ts.
        const { text: message } = ERRORS.HOST_VERSION;
        client.write(`${JSON.stringify({ type: 'error', code: 'HOST_VERSION', message })}\n`);
      });
      await new Promise<void>((resolve) => host.listen(socket, resolve));
      const nothing = () => undefined;
      const events = { received: nothing, unreadable: nothing, closed: nothing };
      const link = connectHost({ socket, secret: 'x', version: HOST_LINK_OLDEST }, events, 60_000);
      const report = await rejectionOf(link);
      await new Promise((resolve) => host.close(resolve));
      return report;
    },
  },
  TERMINAL_NOT_FOUND: {
    provoke: ({ feed }) => rejectionOf(feed('terminal', { type: 'restart', terminal: UNKNOWN_ID })),
  },
  TERMINAL_UNAVAILABLE: {
    provoke: ({ feed }) =>
      rejectionOf(
        feed('terminal', {
          type: 'create',
          terminal: session(),
          runs: { type: 'shell' },
          size: { cols: 80, rows: 24 },
        }),
      ),
    says: 'This build has no terminal host.',
  },
  PAYLOAD_TOO_LARGE: {
    async provoke({ page }) {
      page.socket.send(encodeFrame(FEED.deck, 0, new Uint8Array(1024 * 1024 + 1)));
      return errorOf(
        page.deckMessage((message) => message.type === 'error' && message.code === 'PAYLOAD_TOO_LARGE'),
      );
    },
  },
  CONFIGURATION_CHANGED: {
    provoke: ({ feed }) =>
      rejectionOf(feed('settings', { type: 'write', text: '{}', was: 'something else' })),
  },
  CONFIRMATION_NEEDED: {
    provoke: ({ page, project }) =>
      errorOf(
        page.request({
          type: 'agent.prefer',
          project,
          agent: 'claude',
          option: 'mode',
          value: 'bypassPermissions',
        }),
      ),
    says: 'New sessions would run everything without asking. Confirm to continue.',
  },
  TOO_MANY: {
    async provoke({ another }) {
      const place = another();
      const server = await place.start({ limits: { channels: 1 } });
      const { page, session: known } = await pageWithSession(place, server);
      return errorOf(page.request({ type: 'channel.open', channel: 2, session: known }));
    },
  },
  SESSION_LOCKED: {
    async provoke({ another }) {
      const place = another();
      const server = await place.start();
      const { url, project } = await server.add(place.project, { FAKE_REFUSE: '1' }, { trust: true });
      const page = await TestPage.open(server, await signIn(url));
      await page.welcome();
      const id = session();
      await page.request({ type: 'session.create', session: id, project, agent: 'tester' });
      await page.request({ type: 'channel.open', channel: 1, session: id });
      page.send(FEED.conversationIn, 1, prompt('hello'));
      return errorOf(page.hostMessage(1, ({ type }) => type === 'error'));
    },
    says: 'locked by a test',
  },
  READER_UNAVAILABLE: {
    provoke({ place }) {
      const server = findServer(dataDirectory(place.root).ledger);
      if (!server) throw new Error('no server');
      return rejectionOf(
        requestServer(server, { type: 'search', search: searchSchema.parse({ query: 'lamp' }) }),
      );
    },
  },
  SESSION_BUSY: {
    provoke() {
      const agent = { name: 'claude', label: 'Agent', command: '/bin/true' };
      const sessions = {
        row: () => ({ summary: { agentSession: 'x', entries: 1, turn: 'running' } }),
        launch: () => ({ agent, directory: '/', environment: {} }),
      } as unknown as Parameters<typeof agentTerminalLaunch>[1];
      const release = () => Promise.reject(new Error('its host must not be ended'));
      return rejectionOf(agentTerminalLaunch('x', sessions, { release }));
    },
  },
} satisfies ErrorCases;
