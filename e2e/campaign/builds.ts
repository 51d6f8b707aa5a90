/**
 * Copies of the built product for a campaign: two builds, so that a server can be upgraded during a turn, whose wall
 * clocks are shifted by the offset in a file. The copies are inside the clone, where they find the installed packages.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Builds {
  /** The `tugdeck` programs, the older build first. */
  readonly programs: readonly [string, string];
  readonly demoAgent: string;
  /** Shifts the wall clock of every process. */
  shiftClock(ms: number): void;
  dispose(): void;
}

interface Programs {
  readonly [name: string]: string | Record<string, string>;
}

export function makeBuilds(): Builds {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache', 'campaign-'));
  const offset = join(folder, 'offset');
  writeFileSync(join(folder, 'clock.mjs'), clockModule(offset));
  const copies = ['a', 'b'].map((name) => copy(join(folder, name), name));
  const [a, b] = copies;
  if (!a || !b) throw new Error('no copies');
  const { agents } = readPrograms(a);
  const demo = typeof agents === 'object' ? agents.demo : undefined;
  return {
    programs: [join(a, 'tugdeck.mjs'), join(b, 'tugdeck.mjs')],
    demoAgent: join(a, demo ?? ''),
    shiftClock(ms) {
      writeFileSync(`${offset}.new`, String(ms));
      renameSync(`${offset}.new`, offset);
    },
    dispose: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

const readPrograms = (folder: string): Programs =>
  JSON.parse(readFileSync(join(folder, 'programs.json'), 'utf8')) as Programs;

/** Another build as far as the product can see: its name and the paths of its programs. */
function copy(to: string, name: string): string {
  cpSync(join(ROOT, 'dist'), to, { recursive: true });
  const programs = readPrograms(to);
  for (const program of ['tugdeck', 'host', 'reader', 'terminals']) {
    const file = join(to, String(programs[program]));
    const text = readFileSync(file, 'utf8').replace(/^#!.*\n/, '');
    const up = '../'.repeat(String(programs[program]).split('/').length);
    writeFileSync(file, `import '${up}clock.mjs';\n${text}`);
  }
  const moved = String(programs.host).replace(/^host\/\w+/, `host/campaign-${name}`);
  mkdirSync(dirname(join(to, moved)), { recursive: true });
  renameSync(join(to, String(programs.host)), join(to, moved));
  const build = `campaign-${name}`;
  const page = join(to, String(programs.web), 'index.html');
  writeFileSync(page, readFileSync(page, 'utf8').replace(String(programs.build), build));
  const copied = { ...programs, host: moved, build };
  writeFileSync(join(to, 'programs.json'), JSON.stringify(copied));
  return to;
}

/** Timers stay as they are, like a system's monotonic clock. Reads the file at most every 50 ms. */
function clockModule(offset: string): string {
  return `import { readFileSync } from 'node:fs';
const real = Date.now;
const RealDate = Date;
let looked = 0;
let off = 0;
function now() {
  const at = real();
  if (Math.abs(at - looked) > 50) {
    looked = at;
    try { off = Number(readFileSync(${JSON.stringify(offset)}, 'utf8')) || 0; } catch {}
  }
  return at + off;
}
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, to) => Reflect.construct(target, args.length === 0 ? [now()] : args, to === globalThis.Date ? RealDate : to),
  apply: () => new RealDate(now()).toString(),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});
`;
}
