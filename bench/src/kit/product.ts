/**
 * Runs the product as users do, for benchmarks: the built `tugdeck` in a sandbox, the real agent, only the model
 * scripted. Gives access to the files that the product writes (ledger, raw lines, journals), so that nothing has to
 * be built into it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DataDirectory, dataDirectory } from '@tugdeck/local/data-directory';
import { type LedgerRecord, openLedger } from '@tugdeck/local/ledger';
import { NODE_FLAGS } from '@tugdeck/local/node-flags';
import type { Timings } from '@tugdeck/local/timings';
import { claudeFolder } from '@tugdeck/testkit/agents';
import { launchBrowser, newPage, type TestPage } from '@tugdeck/testkit/browser';
import { claudeEnvironment } from '@tugdeck/testkit/clean-env';
import { type FakeAnthropic, startFakeAnthropic } from '@tugdeck/testkit/fake-anthropic';
import { kill9, waitFor, waitGone } from '@tugdeck/testkit/process-facts';
import { createSandbox, type Sandbox } from '@tugdeck/testkit/temp';
import type { Page } from 'playwright-core';
import { signIn } from './sign-in.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PROGRAM = join(ROOT, 'dist/tugdeck.mjs');
const START = join(ROOT, 'scripts/start.mjs');

export interface RawLine {
  /** When the host read or wrote it, in milliseconds of this machine's clock. */
  readonly t: number;
  /** As seen from the agent: `in` is its stdin. */
  readonly dir: 'in' | 'out' | 'err' | 'note';
  readonly line: unknown;
}

export class Product {
  readonly sandbox: Sandbox;
  readonly fake: FakeAnthropic;
  readonly data: DataDirectory;
  readonly #environment: Record<string, string>;
  #server: ChildProcess | undefined;
  #url = '';

  private constructor(sandbox: Sandbox, fake: FakeAnthropic) {
    this.sandbox = sandbox;
    this.fake = fake;
    this.data = dataDirectory(sandbox.data);
    this.#environment = claudeEnvironment(sandbox, fake, {
      pathFirst: [claudeFolder()],
      extra: { TUGDECK_DATA_DIR: sandbox.data, TUGDECK_RUNTIME_DIR: sandbox.runtime },
    });
  }

  /** A sandbox with nothing running yet. */
  static async prepare(
    timings: Partial<Timings> = {},
    kept?: { readonly home: string; readonly project: string },
  ): Promise<Product> {
    const sandbox = await createSandbox({ files: { 'readme.md': '# Project\n' }, kept });
    await writeFile(join(sandbox.data, 'config.json'), JSON.stringify({ timings }));
    return new Product(sandbox, await startFakeAnthropic());
  }

  get origin(): string {
    return new URL(this.#url).origin;
  }

  get pid(): number {
    return this.#server?.pid ?? 0;
  }

  get environment(): Readonly<Record<string, string>> {
    return this.#environment;
  }

  /** Starts it like `npm start`. Resolves when the address is printed. */
  async start(more: Readonly<Record<string, string>> = {}): Promise<void> {
    const server = spawn(
      process.execPath,
      [...NODE_FLAGS, START, '--no-open', '--trust', this.sandbox.project],
      {
        env: { ...this.#environment, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.#server = server;
    this.#url = await printed(server, /http:\/\/\S+\/in\/\S+/);
  }

  async killServer(): Promise<void> {
    const pid = this.#server?.pid;
    if (pid === undefined) return;
    kill9(pid);
    await waitGone(pid);
  }

  /** Stops the server like a user; hosts keep running. */
  async stop(): Promise<void> {
    await this.run('stop');
  }

  async run(...args: string[]): Promise<string> {
    const child = spawn(process.execPath, [PROGRAM, ...args], { env: this.#environment });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await once(child, 'close');
    return output;
  }

  /**
   * A signed-in page, at a session or at the default location. `script` runs in it before anything else. Signs in
   * without the page, so that nothing is loaded before it is requested.
   */
  async page(script: () => void, session?: string): Promise<TestPage> {
    const opened = await newPage(await launchBrowser());
    const url = (await this.run('url')).trim();
    await signIn(opened.context, url);
    await opened.page.addInitScript(script);
    await opened.page.goto(new URL(session === undefined ? '/' : `/#/session/${session}`, url).href);
    await online(opened.page);
    return opened;
  }

  /** The host of a session, once it is in the ledger. */
  async host(session: string): Promise<LedgerRecord> {
    const find = () => openLedger(this.data.ledger).get(`host-${session}`);
    return waitFor(find, { what: 'the host in the ledger' });
  }

  /** The lines between host and agent, as the host recorded them. */
  rawLines(session: string): RawLine[] {
    return readFileSync(this.data.session(session).raw, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as RawLine);
  }

  async close(): Promise<void> {
    await this.run('stop', '--all');
    await this.fake.close();
    await this.sandbox.dispose();
  }
}

/** Resolves with the first match in a program's output. */
export async function printed(program: ChildProcess, pattern: RegExp): Promise<string> {
  let output = '';
  const found = await new Promise<string | undefined>((resolve) => {
    program.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    program.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const match = output.match(pattern);
      if (match) resolve(match[0]);
    });
    // Not `exit`: the last output, which explains the failure, may still arrive.
    program.once('close', () => resolve(undefined));
  });
  if (found === undefined) throw new Error(`the program ended before it was ready:\n${output}`);
  return found;
}

export async function online(page: Page): Promise<void> {
  await page.getByRole('status', { name: 'Connection' }).and(page.locator('[data-state="online"]')).waitFor();
}

/** The session that a page creates on an empty deck, once its composer is usable. */
export async function firstSession(page: Page): Promise<string> {
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  const session = /session\/([\w-]+)$/.exec(page.url())?.[1];
  if (session === undefined) throw new Error(`no session in ${page.url()}`);
  return session;
}

export async function send(page: Page, text: string): Promise<void> {
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.fill(text);
  await box.press('Enter');
}

/** The turn has ended: the composer shows Send again. */
export async function waitForTurnEnd(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'hidden' });
}
