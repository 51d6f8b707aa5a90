/** Where a new session of a project could run (N17): every machine that has the project, the one with most free memory first. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Machine, Placement } from '@tugdeck/machine/port';

export interface Place {
  readonly project: string;
  /** The name of another machine. */
  readonly machine?: string;
  readonly freeMemory: number;
}

export interface PlacedMachine {
  /** Undefined for this machine. */
  readonly name?: string;
  /** Undefined while it is offline. */
  readonly port: Pick<Machine, 'placement'> | undefined;
  /** It may name only its own projects (N21). */
  readonly owns: (project: string) => boolean;
}

/** A machine that answers later is left out (N15). */
const LATE_MS = 3_000;

export async function placesOf(project: string, machines: readonly PlacedMachine[]): Promise<Place[]> {
  const asked = await Promise.all(machines.map(async (one) => ({ ...one, answer: await ask(one) })));
  const own = asked.flatMap(({ owns, answer }) => (owns(project) ? (answer?.projects ?? []) : []));
  const remote = own.find(({ id }) => id === project)?.remote;
  return asked
    .flatMap(({ name, owns, answer }) =>
      (answer?.projects ?? [])
        .filter(
          (one) => owns(one.id) && (one.id === project || (remote !== undefined && one.remote === remote)),
        )
        .map(({ id }) => ({
          ...{ project: id, freeMemory: answer?.freeMemory ?? 0 },
          ...(name === undefined ? {} : { machine: name }),
        })),
    )
    .sort((a, b) => b.freeMemory - a.freeMemory);
}

function ask({ port }: PlacedMachine): Promise<Placement | undefined> {
  if (!port) return Promise.resolve(undefined);
  return Promise.race([port.placement(), wait(LATE_MS, undefined, { ref: false })]).catch(() => undefined);
}
