/**
 * The random id of a machine (N3), in `machine.json` of the data directory, bound to the system it was created on.
 * Detects a directory that was copied from another machine or is shared by two; the user then decides. Each system
 * that shares a directory has its own id.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { z } from 'zod';
import { ownPlace, type Place } from './place.ts';
import { writePrivate } from './private-file.ts';

/**
 * `new`: the other machine keeps using its data, so this one gets a new id. `moved`: this machine replaces the other.
 */
export const MACHINE_CHOICES = ['new', 'moved'] as const;
export type MachineChoice = (typeof MACHINE_CHOICES)[number];

const boundSchema = z.object({
  id: z.uuid(),
  /** Hash of the system's id; absent on systems without one, such as many containers. */
  system: z.string().min(1).max(255).optional(),
  /** For display only. */
  hostname: z.string().max(255).optional(),
});
type Bound = z.infer<typeof boundSchema>;
/** Maximum number of systems that share a directory; containers may have a new id each time. */
const MOST = 100;
const fileSchema = z.object({ machines: z.array(boundSchema).min(1).max(MOST) });

/** Returns this machine's id, created at the first start. Throws MACHINE_CHANGED if only the user can decide. */
export function ensureMachineId(
  { root }: { readonly root: string },
  choice?: MachineChoice,
  { machine: system }: Place = ownPlace(),
): string {
  const file = machineFile(root);
  const known = readMachines(file);
  const found = known.find((one) => one.system === system) ?? unbound(known, system);
  if (found) {
    if (found.system === undefined && system !== undefined) write(file, rebound(known, found, system));
    return found.id;
  }
  const last = known.at(-1);
  if (last && choice === undefined) throw changed(last);
  if (last && choice === 'moved') {
    write(file, rebound(known, last, system));
    return last.id;
  }
  const made: Bound = { id: randomUUID(), ...bindTo(system) };
  write(file, [...known, made].slice(-MOST));
  return made.id;
}

export function machineFile(root: string): string {
  return join(root, 'machine.json');
}

/** Systems without an id cannot be distinguished, nor can directories created on one. */
function unbound(known: readonly Bound[], system: string | undefined): Bound | undefined {
  return system === undefined ? known.at(-1) : known.find((one) => one.system === undefined);
}

function rebound(known: readonly Bound[], one: Bound, system: string | undefined): Bound[] {
  return [...known.filter((other) => other !== one), { id: one.id, ...bindTo(system) }];
}

function bindTo(system: string | undefined): Omit<Bound, 'id'> {
  return { ...(system === undefined ? {} : { system }), hostname: hostname().slice(0, 255) };
}

function changed({ hostname: name }: Bound): CodedError {
  const whose = name === undefined || name === hostname() ? 'another machine' : `another machine, ${name}`;
  return new CodedError('MACHINE_CHANGED', `This data directory belongs to ${whose}.`);
}

function readMachines(file: string): Bound[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  try {
    return fileSchema.parse(JSON.parse(text)).machines;
  } catch {
    throw new CodedError(
      'DATA_UNREADABLE',
      `${file} is not in the expected format.`,
      'Move the file away; this machine then gets a new id.',
    );
  }
}

function write(file: string, machines: readonly Bound[]): void {
  writePrivate(file, `${JSON.stringify({ machines }, undefined, 2)}\n`);
}
