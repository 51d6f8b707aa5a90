/**
 * The list of agents that speak ACP (A23): the bundled copy, or a newer one that the user downloaded. Only the list is
 * downloaded, never a program.
 */
import { readFileSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join } from 'node:path';
import { findAgent } from '@tugdeck/agents/catalog';
import {
  REGISTRY_AGENTS,
  REGISTRY_DAY,
  REGISTRY_URL,
  type RegistryAgent,
} from '@tugdeck/agents/registry-list';
import { readOwnFile } from '@tugdeck/local/ownership';
import { writePrivate } from '@tugdeck/local/private-file';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';

const MAX_LIST = 4 * 1024 * 1024;
const MAX_AGENTS = 1_000;
const TIMEOUT_MS = 20_000;

const text = z.string().min(1).max(500);
const args = z.array(z.string().max(1_000)).max(50).default([]);
const env = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/), z.string().max(1_000)).optional();
const webAddress = z
  .string()
  .max(500)
  .regex(/^https:\/\//)
  .optional()
  .catch(undefined);
/** A package name with an optional version: nothing that a shell or npm would read as an option. */
const packaged = z
  .object({
    package: z.string().regex(/^[@A-Za-z0-9][\w@./=~^-]{0,200}$/),
    cmd: z
      .string()
      .regex(/^\w[\w.-]*$/)
      .max(100)
      .optional(),
    args,
    env,
  })
  .optional();

/** An entry as published. */
const publishedSchema = z.object({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,49}$/),
  name: text,
  description: z.string().max(2_000),
  website: webAddress,
  repository: webAddress,
  distribution: z.object({
    npx: packaged,
    uvx: packaged,
    binary: z.record(z.string(), z.object({ cmd: text, args, env })).optional(),
  }),
});

const publishedListSchema = z.object({ agents: z.array(z.unknown()).max(MAX_AGENTS) });
const storedSchema = z.object({ day: z.string(), list: z.unknown() });

export interface AgentList {
  readonly day: string;
  readonly isBundled: boolean;
  readonly agents: readonly RegistryAgent[];
}

export interface RegistryOptions {
  readonly file: string;
  /** From the configuration; by default the published list. */
  readonly url: () => string | undefined;
  readonly now: () => number;
}

export class Registry {
  readonly #options: RegistryOptions;

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  get url(): string {
    return this.#options.url() ?? REGISTRY_URL;
  }

  list(): AgentList {
    const stored = this.#stored();
    return stored ?? { day: REGISTRY_DAY, isBundled: true, agents: REGISTRY_AGENTS };
  }

  /** Downloads the list once. */
  async refresh(): Promise<void> {
    const list = await download(this.url);
    if (agentsOf(list).length === 0) throw unreadable('it has no agents');
    const day = new Date(this.#options.now()).toISOString().slice(0, 10);
    writePrivate(this.#options.file, JSON.stringify({ day, list }));
  }

  #stored(): AgentList | undefined {
    try {
      const read = readOwnFile(this.#options.file);
      if (read === undefined) return undefined;
      const { day, list } = storedSchema.parse(JSON.parse(read));
      return { day, isBundled: false, agents: agentsOf(list) };
    } catch {
      return undefined; // A damaged copy: the bundled one is used.
    }
  }
}

async function download(url: string): Promise<unknown> {
  let body: string;
  try {
    const response = await fetch(url, {
      redirect: 'error',
      credentials: 'omit',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    body = await bodyOf(response);
  } catch (error) {
    const { message, cause } = error as Error;
    throw new CodedError(
      'NOT_FOUND',
      `The list of agents could not be downloaded from ${url}: ${cause instanceof Error ? cause.message : message}.`,
      'Check the connection and try again.',
    );
  }
  try {
    return JSON.parse(body);
  } catch {
    throw unreadable('it is not JSON');
  }
}

async function bodyOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MAX_LIST) throw new Error('it is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function unreadable(why: string): CodedError {
  return new CodedError('DATA_UNREADABLE', `The list of agents can't be used: ${why}.`, 'Try again later.');
}

/** Omits invalid entries, and agents of our catalog, which describes them better. */
function agentsOf(list: unknown): RegistryAgent[] {
  const agents = publishedListSchema.safeParse(list).data?.agents ?? [];
  return agents.flatMap((one): RegistryAgent[] => {
    const { data } = publishedSchema.safeParse(one);
    if (!data || findAgent(data.id)) return [];
    const { npx, uvx, binary } = data.distribution;
    const program = Object.values(binary ?? {})[0];
    const way = npx ?? uvx ?? program;
    if (!way) return [];
    const about = {
      id: data.id,
      name: data.name,
      description: data.description,
      website: data.website ?? data.repository,
      args: way.args,
      env: way.env,
    };
    if (npx) return [{ ...about, npm: packageName(npx.package, '@'), command: npx.cmd }];
    if (uvx) return [{ ...about, python: packageName(uvx.package, '='), command: uvx.cmd }];
    return [{ ...about, command: programName(program?.cmd ?? data.id) }];
  });
}

function packageName(name: string, beforeVersion: '@' | '='): string {
  const at = name.indexOf(beforeVersion, 1);
  return at < 0 ? name : name.slice(0, at);
}

/** Programs in archives are named by platform; installed ones are not. */
function programName(path: string): string {
  return basename(path.replaceAll('\\', '/')).replace(
    /[-_](?:linux|darwin|macos|win|windows).*$|\.exe$/i,
    '',
  );
}

/**
 * The program of an agent: from the installed package if there is one, which names its programs, else as listed.
 */
export function programOf(agent: RegistryAgent, searchPath: string): string {
  const byName = agent.command ?? basename(agent.npm ?? agent.python ?? agent.id);
  if (agent.npm === undefined) return byName;
  for (const folder of searchPath.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const program = packageProgram(
      join(folder, '..', 'lib', 'node_modules', agent.npm, 'package.json'),
      byName,
    );
    if (program !== undefined) return program;
  }
  return byName;
}

function packageProgram(manifest: string, preferred: string): string | undefined {
  try {
    const { name, bin } = z
      .object({ name: text, bin: z.union([text, z.record(z.string(), z.string())]) })
      .parse(JSON.parse(readFileSync(manifest, 'utf8')));
    const programs = typeof bin === 'string' ? [basename(name)] : Object.keys(bin);
    const named = programs.filter((program) => /^[\w.-]+$/.test(program));
    return named.includes(preferred) ? preferred : named[0];
  } catch {
    return undefined; // Not installed here.
  }
}

export function installLine({ npm, python }: RegistryAgent): string | undefined {
  if (npm !== undefined) return `npm install -g ${npm}`;
  return python === undefined ? undefined : `uv tool install ${python}`;
}
