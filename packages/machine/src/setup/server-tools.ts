/**
 * Starts an MCP server of an agent's setup once, to list its tools with their schemas (A61). Only called after the user
 * has confirmed the command.
 */

import { spawn } from 'node:child_process';
import { commandLine, KNOWN_SETUPS } from '@tugdeck/drivers/setup/known-setups';
import { createLineReader } from '@tugdeck/local/lines';
import { parseJson } from '@tugdeck/protocol/parse-json';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';
import { findPlaces } from './places.ts';
import { readPlaced, type SetupReading } from './setup-files.ts';

const TIMEOUT_MS = 30_000;
const MAX_LINE = 4 << 20;
const MAX_PAGES = 20;
const MAX_TEXT = 4_000;

interface ServerLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** How the agent would start a server, if that is the command that the user saw. */
export function launchOf(
  { agent, place: id, key, runs }: { agent: string; place: string; key: string; runs: string },
  reading: SetupReading,
  isTrusted: boolean,
): ServerLaunch {
  const description = KNOWN_SETUPS.find(({ agents }) => agents.includes(agent));
  const place = description && findPlaces(description, reading).find((one) => one.id === id);
  if (!place || place.about.form.type === 'text')
    throw new CodedError('NOT_FOUND', 'This server no longer exists.');
  if (place.about.base === 'project' && !isTrusted) throw new CodedError('PROJECT_UNTRUSTED');
  const server = place.about.form.server?.(readPlaced(place, place.path) ?? '', key, reading);
  if (!server) throw new CodedError('NOT_FOUND', 'This server no longer exists.');
  const { command, args, variables } = server;
  if (command === undefined || commandLine(server) !== runs) throw new CodedError('CONFIGURATION_CHANGED');
  // Package runners look for programs in their folder.
  const directory = isTrusted ? (reading.project ?? reading.home) : reading.home;
  return { command, args, directory, environment: { ...reading.environment, ...variables } };
}

const pageSchema = z.object({
  tools: z.array(
    z.object({
      name: z.string().max(MAX_TEXT),
      description: z.string().optional(),
      inputSchema: z.unknown(),
    }),
  ),
  nextCursor: z.string().optional(),
});
const answerSchema = z.object({
  id: z.number(),
  result: z.unknown(),
  error: z.object({ message: z.string() }).optional(),
});
type Tool = z.infer<typeof pageSchema>['tools'][number];

export async function listTools({ command, args, directory, environment }: ServerLaunch): Promise<Tool[]> {
  // Its own group, so that the programs it starts end with it.
  const child = spawn(command, [...args], {
    cwd: directory,
    env: environment,
    detached: true,
    stdio: 'pipe',
  });
  const pending = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  let errors = '';
  const fail = (why: string): void => {
    const error = new CodedError('AGENT_UNAVAILABLE', `The server didn't list its tools: ${why}`);
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
    failed ??= error;
  };
  let failed: CodedError | undefined;
  child.once('error', (error) => fail(error.message));
  child.once('close', () => fail(errors.trim().slice(-MAX_TEXT) || 'it ended'));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-MAX_TEXT);
  });
  child.stdin.on('error', () => undefined); // It has ended, which is reported above.
  const lines = createLineReader(MAX_LINE, {
    line(text) {
      const answer = answerSchema.safeParse(parsed(text)).data;
      const waiting = answer && pending.get(answer.id);
      if (!answer || !waiting) return;
      pending.delete(answer.id);
      if (answer.error) waiting.reject(new CodedError('AGENT_UNAVAILABLE', answer.error.message));
      else waiting.resolve(answer.result);
    },
    overlong: () => fail('its list is too long'),
  });
  child.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
  const timer = setTimeout(() => fail('it took too long'), TIMEOUT_MS);
  const write = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let ids = 0;
  const call = (method: string, params: object) =>
    new Promise<unknown>((resolve, reject) => {
      if (failed) return reject(failed);
      pending.set(++ids, { resolve, reject });
      write({ id: ids, method, params });
    });
  try {
    const clientInfo = { name: 'tugdeck', version: '1' };
    await call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    write({ method: 'notifications/initialized' });
    const tools: Tool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const answer = pageSchema.parse(await call('tools/list', cursor === undefined ? {} : { cursor }));
      tools.push(...answer.tools);
      cursor = answer.nextCursor;
      if (cursor === undefined) break;
    }
    return tools;
  } finally {
    clearTimeout(timer);
    if (child.pid !== undefined) endGroup(child.pid);
  }
}

function parsed(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    return undefined; // A server may print other text.
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
