// Runs a real claude with a scripted model and records every line of both directions in the format of `tugdeck
// replay`. Sandbox paths are replaced by neutral ones, so that a recording reveals nothing about the machine.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { claudeBinary } from '../agents.ts';
import { claudeFlags } from '../claude-process.ts';
import { claudeEnvironment } from '../clean-env.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../fake-anthropic.ts';
import { createSandbox, type Sandbox } from '../temp.ts';

// biome-ignore lint/suspicious/noExplicitAny: raw lines of another program.
export type RawLine = any;

/** The driver's flags beyond those that any host needs. */
const FLAGS = ['--forward-subagent-text', '--include-hook-events'];
const PATIENCE = 60_000;

export interface Recorded {
  readonly name: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Replaces the driver's flags. */
  readonly flags?: readonly string[];
  readonly extra?: Readonly<Record<string, string>>;
  run(recorder: Recorder): Promise<void>;
}

export class Recorder {
  readonly fake: FakeAnthropic;
  readonly sandbox: Sandbox;
  readonly #lines: { t: number; dir: string; line: unknown }[] = [];
  readonly #out: RawLine[] = [];
  readonly #since = performance.now();
  readonly #waiting = new Set<() => void>();
  #child: ChildProcess | undefined;
  #exit: Promise<void> = Promise.resolve();
  #controls = 0;
  readonly #flags: readonly string[];

  constructor(fake: FakeAnthropic, sandbox: Sandbox, flags: readonly string[] = [...claudeFlags, ...FLAGS]) {
    this.fake = fake;
    this.sandbox = sandbox;
    this.#flags = flags;
  }

  start(args: readonly string[] = [], extra: Readonly<Record<string, string>> = {}): void {
    const flags = [...this.#flags, ...args];
    this.#note(`spawn: claude ${flags.join(' ')}`);
    const child = spawn(claudeBinary(), flags, {
      cwd: this.sandbox.project,
      env: claudeEnvironment(this.sandbox, this.fake, { extra }),
    });
    this.#child = child;
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line: RawLine = JSON.parse(text);
      this.#out.push(line);
      this.#keep('out', line);
      for (const check of this.#waiting) check();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.#keep('err', text));
    this.#exit = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.#note(`exit code=${code} signal=${signal}`);
        resolve();
      });
    });
  }

  /** Returns the uuid of the message. */
  prompt(text: string, more: Readonly<Record<string, unknown>> = {}): string {
    const uuid = crypto.randomUUID();
    const message = { role: 'user', content: [{ type: 'text', text }] };
    this.#send({ type: 'user', uuid, session_id: '', parent_tool_use_id: null, message, ...more });
    return uuid;
  }

  control(request: Readonly<Record<string, unknown>>): Promise<RawLine> {
    const id = `rec-${this.#controls++}`;
    this.#send({ type: 'control_request', request_id: id, request });
    return this.until((line) => line.type === 'control_response' && line.response.request_id === id);
  }

  answer(request: RawLine, response: Readonly<Record<string, unknown>>): void {
    const { request_id } = request;
    this.#send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
  }

  /** The nth request of the agent, from 0. */
  request(nth = 0): Promise<RawLine> {
    return this.until((line) => line.type === 'control_request', nth);
  }

  async allow(nth = 0): Promise<void> {
    const request = await this.request(nth);
    this.answer(request, { behavior: 'allow', updatedInput: request.request.input });
  }

  result(nth = 0): Promise<RawLine> {
    return this.until((line) => line.type === 'result', nth);
  }

  /** The nth line that matches, past or future. */
  until(match: (line: RawLine) => boolean, nth = 0): Promise<RawLine> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const found = this.#out.filter(match)[nth];
        if (found === undefined) return;
        clearTimeout(timer);
        this.#waiting.delete(check);
        resolve(found);
      };
      const timer = setTimeout(() => {
        const last = this.#out.slice(-8);
        const seen = last.map(({ type, subtype }) => `${type}/${subtype ?? ''}`).join(' ');
        reject(new Error(`timed out waiting for a line: ${seen}`));
      }, PATIENCE);
      this.#waiting.add(check);
      check();
    });
  }

  async end(): Promise<void> {
    this.#note('stdin closed');
    this.#child?.stdin?.end();
    await this.#exit;
  }

  async kill(): Promise<void> {
    this.#note('kill SIGKILL');
    this.#child?.kill('SIGKILL');
    await this.#exit;
  }

  text(): string {
    const { project, home, temp, root } = this.sandbox;
    const slug = (path: string): string => path.replace(/[^A-Za-z0-9]/g, '-');
    let text = `${this.#lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
    for (const [from, to] of [
      [project, '/home/dev/project'],
      [slug(project), slug('/home/dev/project')],
      [home, '/home/dev'],
      [temp, '/tmp'],
      [root, '/home/dev/sandbox'],
      [this.fake.url, 'http://127.0.0.1:1234'],
      [process.execPath, '/usr/bin/node'],
    ] as const) {
      text = text.replaceAll(from, to);
    }
    return text;
  }

  #send(line: Readonly<Record<string, unknown>>): void {
    this.#keep('in', line);
    this.#child?.stdin?.write(`${JSON.stringify(line)}\n`);
  }

  #note(text: string): void {
    this.#keep('note', text);
  }

  #keep(dir: string, line: unknown): void {
    this.#lines.push({ t: Math.round((performance.now() - this.#since) * 10) / 10, dir, line });
  }
}

export async function recordOne({
  files = {},
  args = [],
  flags,
  extra = {},
  run,
}: Recorded): Promise<string> {
  const fake = await startFakeAnthropic();
  const sandbox = await createSandbox({ files });
  try {
    const recorder = new Recorder(fake, sandbox, flags);
    recorder.start(args, extra);
    await run(recorder);
    return recorder.text();
  } finally {
    await fake.close();
    await sandbox.dispose();
  }
}
