/**
 * The product as a user has it, for browser tests: the built `tugdeck` command in a sandbox, a real agent behind
 * it, only the model scripted. Gives handles to its processes, so that a test can kill them.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { type LedgerRecord, openLedger } from '@tugdeck/local/ledger';
import { NODE_FLAGS } from '@tugdeck/local/node-flags';
import type { Timings } from '@tugdeck/local/timings';
import { openAgentWorld } from '@tugdeck/testkit/agent-world';
import { claudeFolder, type RealAgent } from '@tugdeck/testkit/agents';
import { launchBrowser, newPage, type PageOptions, type TestPage } from '@tugdeck/testkit/browser';
import { claudeEnvironment } from '@tugdeck/testkit/clean-env';
import { startFakeAnthropic } from '@tugdeck/testkit/fake-anthropic';
import type { FakeModel } from '@tugdeck/testkit/fake-model';
import { frames } from '@tugdeck/testkit/frames';
import { freePort } from '@tugdeck/testkit/free-port';
import { isAlive, kill9, waitFor, waitGone } from '@tugdeck/testkit/process-facts';
import { projectFiles } from '@tugdeck/testkit/scenarios';
import { createSandbox, type Sandbox } from '@tugdeck/testkit/temp';
import type { Locator, Page } from 'playwright-core';
import { LONG_TIMEOUTS } from './long-timeouts.ts';
import { OVER_SSH, overSsh } from './over-ssh.ts';

const program = fileURLToPath(new URL('../dist/tugdeck.mjs', import.meta.url));

export interface Deck {
  readonly sandbox: Sandbox;
  readonly fake: FakeModel;
  readonly port: number;
  readonly origin: string;
  /** The sign-in link that was printed. */
  readonly url: string;
  readonly serverPid: number;
  /** Descriptions of servers that exited unexpectedly. */
  readonly unasked: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Records of live processes by purpose. */
  records(purpose: LedgerRecord['purpose']): LedgerRecord[];
  /** Waits until exactly one process of that purpose is in the ledger, and returns its pid. */
  pidOf(purpose: LedgerRecord['purpose']): Promise<number>;
  /** A signed-in page on the deck. */
  page(options?: PageOptions): Promise<TestPage>;
  /** Kills the server with SIGKILL; hosts and agents keep running. */
  killServer(): Promise<void>;
  /** `build`: the `tugdeck` program to use from now on (default: the previous one). `options`: command line options for this start. */
  startServer(build?: string, options?: readonly string[]): Promise<void>;
  /** Runs `tugdeck …` and returns its output. */
  run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  close(): Promise<void>;
}

type Config = Readonly<Record<string, unknown>>;

export interface DeckOptions {
  timings?: Partial<Timings>;
  files?: Readonly<Record<string, string>>;
  /** Name of the project's folder and so of the project, for screenshots. */
  projectName?: string;
  /** A machine on which no agent is installed. */
  withoutAgent?: boolean;
  /** An agent other than the default, with its own fake model. */
  agent?: RealAgent;
  /** Additional keys of config.json. */
  config?: Config | ((sandbox: Sandbox) => Config);
  /** The `tugdeck` program of another build. */
  program?: string;
  /** `false`: like `tugdeck DIR` without `--trust`, which leaves the project untrusted (X6). */
  trust?: boolean;
  /** Folders to put first on PATH; an empty one means the current directory, as in a shell. */
  pathFirst?: string;
  /** Called before anything is written; the function it returns is called after everything has ended. */
  prepare?: (sandbox: Sandbox) => Promise<() => Promise<void>>;
}

export async function openDeck(options: DeckOptions = {}): Promise<Deck> {
  if (!existsSync(program)) throw new Error('Build first: npm run build');
  const sandbox = await createSandbox({
    files: { ...projectFiles, ...options.files },
    ...(options.projectName ? { projectName: options.projectName } : {}),
  });
  const undo = await options.prepare?.(sandbox);
  const { fake, environment } = await worldOf(sandbox, options);
  if (options.pathFirst !== undefined)
    environment.PATH = `${options.pathFirst}${delimiter}${environment.PATH}`;
  await writeFile(
    join(sandbox.data, 'config.json'),
    JSON.stringify({
      agent: options.agent,
      // Fixed: no other deck may take it between a server's death and its restart.
      port: await freePort(),
      timings: { ...LONG_TIMEOUTS, reconnectMs: [50, 100], ...options.timings },
      ...(typeof options.config === 'function' ? options.config(sandbox) : options.config),
    }),
  );
  const ledger = openLedger(dataDirectory(sandbox.data).ledger);
  const pages: TestPage[] = [];
  let server: ChildProcess | undefined;
  let url = '';
  let running = options.program ?? program;
  const unasked: string[] = [];
  // An older build may not know the option.
  const isTrusted = options.trust ?? options.program === undefined;

  async function startServer(build = running, more: readonly string[] = []): Promise<void> {
    running = build;
    const args = ['--no-open', ...(isTrusted ? ['--trust'] : []), ...more, sandbox.project];
    const started = spawn(process.execPath, [...NODE_FLAGS, running, ...args], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    server = started;
    let said = '';
    started.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-2_000);
    });
    // Exit code 0: it was stopped, or another server is running. A signal came from the test.
    started.once('close', (code) => code && unasked.push(`the server ended with ${code}: ${said}`));
    url = await printedUrl(started);
  }

  await startServer();
  const deck: Deck = {
    sandbox,
    fake,
    environment,
    get url() {
      return url;
    },
    get port() {
      return Number(new URL(url).port);
    },
    get origin() {
      return new URL(url).origin;
    },
    get serverPid() {
      return server?.pid ?? 0;
    },
    unasked,
    startServer,
    records: (purpose) => ledger.read().filter((record) => record.purpose === purpose),
    async pidOf(purpose) {
      await waitFor(() => deck.records(purpose).length === 1, { what: `one ${purpose} in the ledger` });
      return deck.records(purpose)[0]?.identity.pid ?? 0;
    },
    async page(pageOptions) {
      const fresh = (await deck.run('url')).stdout.trim();
      const opened = await newPage(await launchBrowser(), pageOptions);
      pages.push(opened);
      await opened.page.goto(fresh);
      await connected(opened.page);
      return opened;
    },
    async killServer() {
      if (!server?.pid || !isAlive(server.pid)) return;
      kill9(server.pid);
      await waitGone(server.pid);
    },
    async run(...args) {
      const child = spawn(process.execPath, [running, ...args], { env: environment });
      const output = { stdout: '', stderr: '' };
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output.stdout += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        output.stderr += text;
      });
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, ...output };
    },
    async close() {
      await Promise.all(pages.map((page) => page.close()));
      await deck.run('stop', '--all');
      await fake.close();
      await undo?.();
      await sandbox.dispose();
    },
  };
  return OVER_SSH && options.program === undefined ? overSsh(deck, program) : deck;
}

async function worldOf(
  sandbox: Sandbox,
  { agent, withoutAgent }: { agent?: RealAgent; withoutAgent?: boolean },
): Promise<{ fake: FakeModel; environment: Record<string, string> }> {
  const extra = { TUGDECK_DATA_DIR: sandbox.data, TUGDECK_RUNTIME_DIR: sandbox.runtime };
  if (agent !== undefined) return openAgentWorld(agent, sandbox, extra);
  const fake = await startFakeAnthropic();
  const pathFirst = withoutAgent ? [] : [claudeFolder()];
  return { fake, environment: claudeEnvironment(sandbox, fake, { pathFirst, extra }) };
}

async function printedUrl(server: ChildProcess): Promise<string> {
  let output = '';
  server.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const found = await new Promise<string | undefined>((resolve) => {
    server.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const match = output.match(/http:\/\/\S+\/in\/\S+/);
      if (match) resolve(match[0]);
    });
    // Not `exit`: the last output, which explains the failure, may still arrive.
    server.once('close', () => resolve(undefined));
  });
  if (!found) throw new Error(`the server ended before it was ready:\n${output}`);
  return found;
}

/** A narrow page hides the status while it is online. */
export async function connected(page: Page): Promise<void> {
  await page
    .getByRole('status', { name: 'Connection', includeHidden: true })
    .and(page.locator('[data-state="online"]'))
    .waitFor({ state: 'attached' });
}

/** Shows the composer of a new session with the sidebar's button, with another agent if one is named. */
export async function newSession(page: Page, agent?: string): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Projects' })
    .getByRole('button', { name: 'New session', exact: true })
    .first()
    .click();
  await page.getByRole('region', { name: 'New session' }).filter({ visible: true }).waitFor();
  await inFront(page);
  if (agent !== undefined) await chooseAgent(page, agent);
}

/** Chooses the agent of a new session in the composer's foot. */
export async function chooseAgent(page: Page, agent: string): Promise<void> {
  const menu = page.getByRole('button', { name: /^Agent: / }).filter({ visible: true });
  if ((await menu.getAttribute('aria-label')) === `Agent: ${agent}`) return;
  await menu.click();
  await page.getByRole('menuitemradio', { name: new RegExp(`^${agent}`) }).click();
  await page
    .getByRole('button', { name: `Agent: ${agent}`, exact: true })
    .filter({ visible: true })
    .waitFor();
  await inFront(page);
}

/** Read in the page itself, because Playwright learns about a new address later. */
const shownSession = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => /session\/([\w-]+)/.exec(location.hash)?.[1]);

/** Waits for the card of the session in the address; until then the composer belongs to the previous session. */
async function inFront(page: Page): Promise<void> {
  const session = await shownSession(page);
  await page.locator(`[role=tab][data-session="${session}"][aria-selected=true]`).waitFor();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
}

/** Runs `act` and waits until another session is in front. */
export async function toAnother(page: Page, act: () => Promise<void>): Promise<void> {
  const before = await shownSession(page);
  await act();
  await waitFor(async () => ![before, undefined].includes(await shownSession(page)), {
    what: 'another session in the address',
  });
  await inFront(page);
}

export async function send(page: Page, text: string): Promise<void> {
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.fill(text);
  await box.press('Enter');
}

/** The drawn entries of a kind. */
export function entries(page: Page, kind: string, status?: string) {
  const statusPart = status === undefined ? '' : `[data-status="${status}"]`;
  return page
    .getByRole('log', { name: 'Conversation' })
    .locator(`article[data-entry-kind="${kind}"]${statusPart}`);
}

/** The outcomes of permission requests, in the rows of their tools (D20). */
export function outcomes(page: Page, status = 'answered') {
  return page
    .getByRole('log', { name: 'Conversation' })
    .locator(`.tool-permission[data-request-status="${status}"]`);
}

/** Waits until every message is delivered, none is queued and no turn is running: the composer shows Send again. */
export async function rested(page: Page): Promise<void> {
  // A sent message is drawn in the next frame.
  await frames(page);
  await entries(page, 'user', 'partial')
    .or(page.getByRole('list', { name: 'Queued messages' }))
    .or(page.getByRole('button', { name: 'Stop', exact: true }))
    .first()
    .waitFor({ state: 'hidden' });
}

/** The last model request of a conversation; agents also request titles and suggestions at any time. */
export function lastRequest({ requests }: FakeModel): string {
  return JSON.stringify(requests.findLast(({ kind }) => kind === 'answer')?.body ?? null);
}

/**
 * An entry as it is drawn, without code highlighting, which comes later from a worker and only for visible lines.
 */
export function drawnForm(entry: Locator): Promise<string> {
  return entry.evaluate((node) => {
    const copy = node.cloneNode(true) as HTMLElement;
    for (const code of copy.querySelectorAll('pre code')) code.replaceChildren(code.textContent ?? '');
    return copy.innerHTML;
  });
}
