/**
 * Takes a picture of a local page with a browser that is installed on this machine (W7): headless, with a temporary
 * profile, an argument list and no shell. Nothing of the user's own profile is read.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { findCommand } from '../agents/agent-choices.ts';

type Environment = Readonly<Record<string, string>>;

const COMMANDS = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'brave-browser',
  'microsoft-edge',
];
const MAC_PROGRAMS = ['Google Chrome', 'Chromium', 'Brave Browser', 'Microsoft Edge'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);
const TIMEOUT_MS = 30_000;
/** Time for the page to load and draw, in the browser's own clock. */
const BUDGET_MS = 5_000;
/** One message to the page, in base64. */
const MAX_BYTES = 2_500_000;

export function findBrowser(environment: Environment): string | undefined {
  const found = COMMANDS.map((command) => findCommand(command, environment)).find(Boolean);
  return found ?? MAC_PROGRAMS.find((file) => existsSync(file));
}

export async function takeScreenshot(
  environment: Environment,
  address: string,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<Buffer> {
  const browser = findBrowser(environment);
  if (browser === undefined) throw new CodedError('NOT_FOUND', 'No browser was found on this machine.');
  const folder = await mkdtemp(join(tmpdir(), 'tugdeck-screenshot-'));
  const file = join(folder, 'page.png');
  try {
    await run(browser, [
      '--headless=new',
      `--screenshot=${file}`,
      `--window-size=${width},${height}`,
      `--virtual-time-budget=${BUDGET_MS}`,
      `--user-data-dir=${join(folder, 'profile')}`,
      '--hide-scrollbars',
      '--no-first-run',
      '--no-default-browser-check',
      '--disable-extensions',
      '--disable-sync',
      '--disable-background-networking',
      '--disable-component-update',
      '--metrics-recording-only',
      '--no-proxy-server',
      // Chromium's own sandbox cannot run as root.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      address,
    ]);
    const { size } = await stat(file);
    if (size > MAX_BYTES) throw new CodedError('PAYLOAD_TOO_LARGE', 'The screenshot is too large.');
    return await readFile(file);
  } catch (error) {
    if (error instanceof CodedError) throw error;
    throw new CodedError(
      'AGENT_UNAVAILABLE',
      'The browser couldn’t take a screenshot.',
      (error as Error).message,
    );
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }

  function run(program: string, args: readonly string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      execFile(
        program,
        [...args],
        { env: environment, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' },
        (error) => (error ? reject(new Error('It failed or timed out.')) : resolve()),
      );
    });
  }
}
