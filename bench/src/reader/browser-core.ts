/**
 * Pins the browser to one core, so that the product has another: a loading page uses both of two cores, and the
 * server's event loop would be measured together with the browser. Does nothing with a single core or without
 * `taskset`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { launchBrowser } from '@tugdeck/testkit/browser';
import { childrenOf } from '@tugdeck/testkit/process-facts';

const TASKSET = '/usr/bin/taskset';

export async function pinBrowser(): Promise<void> {
  const before = new Set(childrenOf(process.pid));
  await launchBrowser();
  if (cpus().length < 2 || !existsSync(TASKSET)) return;
  const started = childrenOf(process.pid).filter((pid) => !before.has(pid));
  for (const pid of started.flatMap(family)) {
    execFileSync(TASKSET, ['--all-tasks', '--cpu-list', '--pid', '0', String(pid)], { stdio: 'ignore' });
  }
}

function family(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(family)];
}
