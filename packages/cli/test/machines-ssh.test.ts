/** Another machine over real ssh, in its own network and pid namespace: cut, killed and stopped connections. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeckMessage } from '@tugdeck/protocol/wire/deck';
import { FEED } from '@tugdeck/protocol/wire/frames';
import { isAlive, kill9 } from '@tugdeck/testkit/process-facts';
import { type RemoteMachine, startRemoteMachine, whyNoRemoteMachine } from '@tugdeck/testkit/remote-machine';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { Visit } from '@tugdeck/testkit/visit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prompt, TestPage } from '../../gateway/test/test-server.ts';
import { type BuiltCli, buildCli, CliPlace } from './built-cli.ts';

const why = whyNoRemoteMachine();
if (why !== undefined) console.info(`Machines over ssh are not tested. ${why}`);

describe.skipIf(why !== undefined)('over ssh', () => {
  let cli: BuiltCli;
  let here: CliPlace;
  let there: CliPlace;
  let other: CliPlace;
  let remote: RemoteMachine;
  let page: TestPage;
  let session = '';
  let channels = 0;
  let keys = '';

  const bridge = (...words: string[]) => [...remote.ssh, process.execPath, there.program, ...words];

  beforeAll(async () => {
    cli = await buildCli();
    here = new CliPlace(cli);
    there = new CliPlace(cli);
    other = new CliPlace(cli);
    keys = join(there.base, 'ssh');
    mkdirSync(keys);
    mkdirSync(join(there.base, 'work'));
    remote = await startRemoteMachine(keys, there.base, {
      PATH: process.env.PATH ?? '',
      TUGDECK_DATA_DIR: there.data,
      TUGDECK_RUNTIME_DIR: there.base,
    });
    const added = await here.run(['machine', 'add', 'devbox', '--command', bridge('bridge').join(' ')], {
      PATH: process.env.PATH ?? '',
    });
    expect(added.out).toContain('Added devbox. It is online');
    const { url } = await here.start([], { PATH: process.env.PATH ?? '' });
    const visit = await Visit.enter(url);
    page = new TestPage(await visit.socket());
    await page.welcome();
    expect(await here.run(['--trust', 'devbox:work'])).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await page?.close().catch(() => undefined);
    await here?.clear();
    if (remote) {
      const [program = '', ...args] = bridge('stop', '--all');
      execFileSync(program, args, { stdio: 'ignore' });
      await remote.close();
    }
    await there?.clear();
    await other?.clear();
    cli?.remove();
  });

  const machineIs = (message: DeckMessage, state: string) =>
    message.type === 'deck' && message.deck.machines?.[0]?.state === state;
  const becomes = (state: string) => page.deckMessage((message) => machineIs(message, state));

  /** The running ssh, by its key file. */
  function sshPid(): number {
    const pids = readdirSync('/proc').filter((name) => {
      try {
        const [program, ...args] = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
        return program === 'ssh' && args.includes(join(keys, 'user'));
      } catch {
        return false; // Not a process, or ended.
      }
    });
    return Number(pids[0]);
  }

  /** Opens the session on a new channel and sends a prompt; resolves with its receipt. */
  async function say(sent = prompt('hello')): Promise<void> {
    const channel = ++channels;
    expect(await page.request({ type: 'channel.open', channel, session })).toMatchObject({ type: 'done' });
    page.send(FEED.conversationIn, channel, { type: 'follow' });
    page.send(FEED.conversationIn, channel, sent);
    const receipt = await page.hostMessage(channel, ({ type }) => type === 'receipt');
    expect(receipt).toMatchObject({ command: sent.command.id });
  }

  test('N7 a project and a session there are opened, and its programs run there', async () => {
    const { deck } = await page.welcome();
    const project = deck.projects.find(({ machine }) => machine === 'devbox');
    expect(project?.path).toBe(join(there.base, 'work'));
    session = randomUUID();
    const created = { type: 'session.create', session, project: project?.id, agent: 'tester' };
    expect(await page.request(created)).toMatchObject({ type: 'done' });
    await say();
  });

  test('N5 add --install copies this program over the same ssh, after a yes', async () => {
    const add = ['machine', 'add', 'copied', '--command', [...remote.ssh, 'tugdeck', 'bridge'].join(' ')];
    const path = { PATH: process.env.PATH ?? '' };
    const asked = await other.run([...add, '--install'], path);
    expect(asked).toMatchObject({ code: 1 });
    expect(asked.err).toContain('Copy Tugdeck 1.2.3 (build test-build) to ~/.local/lib/tugdeck on copied?');
    const folder = join(there.base, '.local', 'lib', 'tugdeck');
    expect(existsSync(folder)).toBe(false);

    const added = await other.run([...add, '--install', '--yes'], path);
    expect(added).toMatchObject({ code: 0 });
    expect(added.out).toContain('Added copied. It is online (build test-build)');
    expect(readdirSync(folder).sort()).toEqual(['test-build', 'tugdeck']);
    const { command } = JSON.parse(readFileSync(join(other.data, 'config.json'), 'utf8')).machines.copied;
    expect(command.slice(-2)).toEqual(['.local/lib/tugdeck/tugdeck', 'bridge']);
    // Again, as for an update: the copy may be running.
    expect(await other.run([...add, '--install', '--yes'], path)).toMatchObject({ code: 0 });

    const docker = ['machine', 'add', 'box', '--command', 'docker exec -i dev tugdeck bridge', '--install'];
    expect(await other.run([...docker, '--yes'], path)).toMatchObject({ code: 2 });
  });

  test('N9 a killed ssh is started again, and N10 a repeated command is applied once', async () => {
    const sent = prompt('again');
    await say(sent);
    page.received.length = 0;
    kill9(sshPid());
    await page.deckMessage((message) => message.type === 'error' && message.channel === channels);
    await becomes('online');
    await say(sent);
  });

  test.skipIf(!isFullTier)(
    'N8 a network cut of 24 s and a stopped ssh end the link on both ends',
    async () => {
      page.received.length = 0;
      remote.cut();
      await becomes('offline');
      // The rest of the 24 s: the link was dead after 15.
      await new Promise((resolve) => setTimeout(resolve, 9_000));
      page.received.length = 0;
      remote.mend();
      await becomes('online');
      await say();

      const stopped = sshPid();
      page.received.length = 0;
      process.kill(stopped, 'SIGSTOP');
      await becomes('online');
      expect(isAlive(stopped)).toBe(false);
      await say();
    },
  );
});
