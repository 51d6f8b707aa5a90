/**
 * Keeps the browser to one processor, so that another is the product's: on two, a page that loads takes both, and a hold of
 * the server's loop would tell of the browser. Does nothing where there is one processor or no `taskset`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { launchBrowser } from '@tugdeck/testkit/browser';
import { childrenOf } from '@tugdeck/testkit/process-facts';

const TASKSET = '/usr/bin/taskset';

export async function giveProductACore(): Promise<void> {
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
