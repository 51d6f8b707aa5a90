/**
 * Whether agents are signed in (A62), without reading a secret, starting a session or asking a model: by variables, by
 * files that exist, or by the agent's own status command.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findAgent, type KnownAgent } from '@tugdeck/agents/catalog';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import type { Account, AccountsState } from '@tugdeck/protocol/areas/accounts';
import type { TerminalLaunch } from '@tugdeck/protocol/terminal/terminal-link';
import type { AgentChoice } from '@tugdeck/protocol/wire/deck';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { terminalEnvironment } from '../terminals/shell-launch.ts';
import { findCommand } from './agent-choices.ts';

const TIMEOUT_MS = 20_000;
const MAX_FILE = 1 << 20;

type Environment = Readonly<Record<string, string>>;

/** `undefined`: unknown. */
export async function isSignedIn(
  { signedIn }: KnownAgent,
  environment: Environment,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  const { statusCommand, files = [], variables = [], providers } = signedIn ?? {};
  if (variables.some((variable) => (environment[variable] ?? '') !== '')) return true;
  const home = environment.HOME ?? homedir();
  if (files.some((file) => existsSync(join(home, file)))) return true;
  if (providers?.pattern.test(readBoundedText(join(home, providers.file), { maxBytes: MAX_FILE }) ?? ''))
    return undefined;
  const [command = '', ...args] = statusCommand ?? [];
  const program = findCommand(command, environment);
  if (program === undefined) return undefined;
  const code = await exitCodeOf(program, args, environment, signal);
  return code === undefined ? undefined : code === 0;
}

/** In no project: some agents read its configuration even for this (X6). */
function exitCodeOf(
  program: string,
  args: readonly string[],
  env: Environment,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      [...args],
      { cwd: '/', env, timeout: TIMEOUT_MS, ...(signal ? { signal } : {}) },
      (error) => resolve(error === null ? 0 : typeof error.code === 'number' ? error.code : undefined),
    );
    child.stdin?.end();
  });
}

export interface AccountsOptions {
  /** All agents with whether they are installed. */
  readonly agents: () => readonly Pick<AgentChoice, 'name' | 'label' | 'installed'>[];
  /** The environment that an agent gets. */
  readonly environment: (agent: string) => Environment;
  readonly home: string;
}

interface InstalledAgent {
  readonly name: string;
  readonly label: string;
  readonly known: KnownAgent;
}

/** Remembers the last check; listeners are called after each. */
export class Accounts {
  readonly #options: AccountsOptions;
  readonly #known = new Map<string, Account['state']>();
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();
  #checking: Promise<void> | undefined;

  constructor(options: AccountsOptions) {
    this.#options = options;
  }

  subscribe(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  state(): AccountsState {
    return {
      accounts: this.#agents().map(({ name, label, known }) => ({
        agent: name,
        label,
        state: this.#known.get(name) ?? 'unknown',
        signIn: known.signIn,
        ...(known.signOut === undefined ? {} : { signOut: known.signOut }),
      })),
    };
  }

  /** Checks all agents, once for all concurrent callers. */
  check(): Promise<void> {
    this.#checking ??= this.#check(this.#agents()).finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** Checks one agent, unless something is known about it. */
  async checkOnce(name: string): Promise<void> {
    const unchecked = this.#agents().filter((agent) => agent.name === name && !this.#known.has(name));
    if (unchecked.length > 0) await this.#check(unchecked);
  }

  async #check(agents: readonly InstalledAgent[]): Promise<void> {
    for (const { name } of agents) if (!this.#known.has(name)) this.#known.set(name, 'checking');
    this.#publish();
    const answers = new Map<string, Promise<boolean | undefined>>();
    await Promise.all(
      agents.map(async ({ name, known }) => {
        const environment = this.#options.environment(name);
        // Two agents may share an account, and its command.
        const key = JSON.stringify([known.signedIn, environment]);
        const answer = answers.get(key) ?? isSignedIn(known, environment, this.#closing.signal);
        answers.set(key, answer);
        const isIn = await answer;
        this.#known.set(name, isIn === undefined ? 'unknown' : isIn ? 'in' : 'out');
        this.#publish();
      }),
    );
  }

  /** The agent's own command, in a terminal outside of any project. */
  launch(name: string, way: 'in' | 'out'): TerminalLaunch {
    const known = this.#agents().find((agent) => agent.name === name)?.known;
    const line = way === 'in' ? known?.signIn : known?.signOut;
    if (line === undefined) throw new CodedError('AGENT_UNAVAILABLE', 'This agent has no such command.');
    const [command = '', ...args] = line.split(' ');
    const environment = this.#options.environment(name);
    const file = findCommand(command, environment);
    if (file === undefined) {
      throw new CodedError('AGENT_UNAVAILABLE', `${command} was not found on the PATH.`);
    }
    return { file, args, directory: this.#options.home, environment: terminalEnvironment(environment) };
  }

  /** Ends programs that are still running. */
  close(): void {
    this.#closing.abort();
    this.#listeners.clear();
  }

  #agents(): InstalledAgent[] {
    return this.#options.agents().flatMap(({ name, label, installed }) => {
      const known = installed ? findAgent(name) : undefined;
      return known?.signedIn ? [{ name, label, known }] : [];
    });
  }

  #publish(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
