/**
 * A campaign of faults against a fleet: machines with sessions that are written all the time, a real nats-server, a deck
 * with links. After every few faults the journals rest, and each copy must equal its journal, byte for byte.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type CopySource, readCopiedBlob, readJournal } from '@tugdeck/fleet/copy/copy-reader';
import { connectLink } from '@tugdeck/link/connect-link';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { segmentsOf, storedBytes, TestFleet, type TestMachine } from '@tugdeck/testkit/test-fleet';
import { openWire, type Wire } from './wire.ts';

export interface FleetCampaign {
  readonly seed: number;
  readonly faults: number;
  readonly machines: number;
  readonly sessions: number;
  readonly log?: (text: string) => void;
}

export interface FleetOutcome {
  readonly faults: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
  readonly lines: number;
  readonly comparisons: number;
  /** Of all lines, in milliseconds: what a turn waited for its journal. */
  readonly longestLine: number;
  /** From the rest of the journals to equal copies, in milliseconds. */
  readonly catchUps: readonly number[];
}

interface Worker {
  readonly machine: TestMachine;
  readonly sessions: readonly string[];
  readonly wire: Wire;
  member: ChildProcess;
  writer: Lines;
}

interface Lines {
  readonly child: ChildProcess;
  /** Sends a line and returns the answer. */
  ask(line: string): Promise<string>;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Faults between two comparisons. */
const ROUND = 40;
const EQUAL_MS = 60_000;

export async function fleetCampaign({
  seed,
  faults,
  machines,
  sessions,
  log,
}: FleetCampaign): Promise<FleetOutcome> {
  const random = randomOf(seed);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const programs = await bundlePrograms();
  const fleet = await TestFleet.start();
  const problems: string[] = [];
  const counts: Record<string, number> = {};
  const catchUps: number[] = [];
  const workers: Worker[] = [];
  let [lines, comparisons, longestLine] = [0, 0, 0];
  const port = Number(new URL(fleet.settings.server).port);

  const startMember = (machine: TestMachine, wire: Wire) =>
    startProgram(programs.member, [machine.data.root, `tls://127.0.0.1:${wire.port}`]);
  const startWriter = async (worker: Pick<Worker, 'machine' | 'sessions'>) =>
    linesOf(await startProgram(programs.writer, [worker.machine.data.root, ...worker.sessions]));

  try {
    for (let number = 1; number <= machines; number++) {
      const machine = await fleet.join(`worker-${number}`);
      const wire = await openWire(() => port);
      const ids = Array.from({ length: sessions }, () => randomUUID());
      const member = await startMember(machine, wire);
      const writer = await startWriter({ machine, sessions: ids });
      workers.push({ machine, wire, sessions: ids, member, writer });
    }

    const restartServer = async (wipes: boolean) => {
      await fleet.server.kill();
      if (wipes) fleet.server.wipe();
      await delay(random() * 300);
      await fleet.server.start();
    };
    const acts: Readonly<Record<string, (worker: Worker) => Promise<void>>> = {
      async 'machine killed'(worker) {
        await kill(worker.member);
        worker.member = await startMember(worker.machine, worker.wire);
      },
      async 'session host killed'(worker) {
        await kill(worker.writer.child);
        worker.writer = await startWriter(worker);
      },
      'server killed': () => restartServer(false),
      'store wiped': () => restartServer(true),
      async 'server frozen'() {
        fleet.server.freeze();
        await delay(100 + random() * 500);
        fleet.server.thaw();
      },
      async 'connection cut'(worker) {
        worker.wire.cut();
      },
      async 'connection dead, then back'(worker) {
        worker.wire.mute();
        await delay(100 + random() * 500);
        worker.wire.unmute();
      },
      async 'connection dead, then cut'(worker) {
        worker.wire.mute();
        await delay(100 + random() * 500);
        worker.wire.cut();
      },
      async 'second publisher'(worker) {
        const second = await startMember(worker.machine, worker.wire);
        await delay(100 + random() * 400);
        await kill(second);
      },
      async 'link cut'({ machine: { name } }) {
        const carrier = fleet.deck.carrier(name);
        const link = await connectLink(carrier.from, carrier.to).catch(() => undefined);
        void link?.machine.browse('/').catch(() => undefined);
        carrier.close();
        await carrier.ended;
      },
    };

    const compare = async () => {
      for (const { writer } of workers) {
        const [, count, longest] = (await writer.ask('pause')).split(' ');
        lines += Number(count);
        longestLine = Math.max(longestLine, Number(longest));
      }
      const since = performance.now();
      for (const { machine, sessions: ids } of workers) {
        for (const session of ids) {
          comparisons++;
          let why = '';
          await waitFor(
            async () => {
              why = await differenceOf(fleet, machine, session);
              return why === '';
            },
            { what: 'the copy to equal the journal', timeoutMs: EQUAL_MS },
          ).catch(() => problems.push(`${machine.name} ${session}: ${why}`));
        }
      }
      catchUps.push(performance.now() - since);
      for (const { machine } of workers) {
        const answered = waitFor(
          async () => {
            const carrier = fleet.deck.carrier(machine.name);
            const link = await connectLink(carrier.from, carrier.to).catch(() => undefined);
            const answer = await link?.machine.browse('/').catch(() => undefined);
            link?.close();
            return answer !== undefined;
          },
          { what: 'the link', timeoutMs: EQUAL_MS },
        );
        await answered.catch(() => problems.push(`${machine.name}: no link`));
      }
      for (const { writer } of workers) await writer.ask('resume');
    };

    await fleet.deckOnline();
    for (let done = 0; done < faults; done++) {
      const name = pick(Object.keys(acts));
      counts[name] = (counts[name] ?? 0) + 1;
      await acts[name]?.(pick(workers));
      await delay(random() * 60);
      if ((done + 1) % ROUND !== 0 && done + 1 < faults) continue;
      await compare();
      log?.(
        `${done + 1} faults, ${lines} lines, ${problems.length} problems, equal after ${Math.round(catchUps.at(-1) ?? 0)} ms`,
      );
      if (problems.length > 0) break;
    }
    return { faults: counts, problems, lines, comparisons, longestLine, catchUps };
  } finally {
    for (const { member, writer, wire } of workers) {
      await Promise.all([kill(member), kill(writer.child)]);
      wire.close();
    }
    await fleet.close();
    rmSync(programs.folder, { recursive: true, force: true });
  }
}

/** How copy and journal differ; empty if they are equal. */
async function differenceOf(fleet: TestFleet, { name, data }: TestMachine, session: string): Promise<string> {
  const source = fleet.deck.copies(name) as CopySource;
  const back = dataDirectory(join(fleet.root, 'back')).session(session);
  try {
    const bytes = await readJournal(source, session, back);
    if (bytes === undefined) return 'no copy';
    const [copy, journal] = [back.journal, data.session(session).journal].map(segmentsOf);
    if (JSON.stringify(copy) !== JSON.stringify(journal)) return `${bytes} bytes differ from the journal`;
    const stored = await storedBytes(fleet, name, session);
    if (stored !== bytes) return `${stored} bytes are stored for ${bytes} of the journal`;
    for (const hash of readdirSync(data.session(session).blobs)) {
      // A temporary file of a killed host, or a blob whose line was never written.
      if (!/^[0-9a-f]{64}$/.test(hash) || !journal?.some(([, text]) => text?.includes(hash))) continue;
      const copied = await readCopiedBlob(source, session, hash);
      if (!copied?.equals(readFileSync(join(data.session(session).blobs, hash))))
        return `blob ${hash} differs`;
    }
    return '';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? '' : String(error);
  } finally {
    rmSync(join(fleet.root, 'back'), { recursive: true, force: true });
  }
}

async function startProgram(program: string, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
  return child;
}

function linesOf(child: ChildProcess): Lines {
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('no pipes');
  const lines = createInterface({ input: stdout });
  return {
    child,
    async ask(line) {
      const answer = once(lines, 'line');
      stdin.write(`${line}\n`);
      return String((await answer)[0]);
    },
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

interface Bundler {
  bundleForNode(
    entry: string,
    options: { root: string; external: (id: string) => boolean },
  ): Promise<{ code: string }>;
}

async function bundlePrograms(): Promise<{ folder: string; member: string; writer: string }> {
  const bundler: Bundler = await import(pathToFileURL(join(ROOT, 'scripts/parts/bundle.mjs')).href);
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache', 'fleet-'));
  const write = async (name: string) => {
    const entry = join(ROOT, 'e2e/campaign', `fleet-${name}-main.ts`);
    const { code } = await bundler.bundleForNode(entry, { root: ROOT, external: () => false });
    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, code);
    return file;
  };
  return { folder, member: await write('member'), writer: await write('writer') };
}

/** The same faults for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
