/**
 * Starts a real session host on a journal, without an agent, and measures its memory after a page has read the
 * conversation.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { KNOWN_AGENTS } from '@tugdeck/agents/catalog';
import { spawnHost } from '@tugdeck/local/spawn-host';
import { readPrograms } from '@tugdeck/machine/programs';
import { PAGE } from '@tugdeck/protocol/conversation/window';
import { waitGone } from '@tugdeck/testkit/process-facts';
import { HostTap } from '../kit/host-tap.ts';
import type { Product } from '../kit/product.ts';

const PROGRAMS = fileURLToPath(new URL('../../../dist/programs.json', import.meta.url));
const PAGES_READ = 5;

export interface HostFigures {
  /** Resident memory after a snapshot and a few older pages. Linux only. */
  readonly megabytes: number;
  /** From its start until it accepts connections. */
  readonly readyMs: number;
}

export async function measureHost(product: Product, session: string): Promise<HostFigures> {
  const [agent] = KNOWN_AGENTS;
  if (!agent) throw new Error('the catalog is empty');
  const { name, label, protocol, command, args } = agent;
  const { data, sandbox } = product;
  const started = performance.now();
  const address = await spawnHost({
    program: readPrograms(PROGRAMS).host,
    logs: data.logs,
    name: `host-${session}`,
    timeoutMs: 30_000,
    config: {
      dataDirectory: sandbox.data,
      runtimeDirectory: sandbox.runtime,
      session,
      agent: { name, label, protocol, command, args: [...args] },
      directory: sandbox.project,
      environment: {},
    },
  });
  const readyMs = performance.now() - started;
  const { pid } = (await product.host(session)).identity;
  const tap = new HostTap(address);
  await tap.next('protocol_ack');
  let { from } = (await tap.request({ type: 'follow' }, 'snapshot')).snapshot;
  for (let page = 0; page < PAGES_READ && from > 0; page++) {
    from = (await tap.request({ type: 'entries', before: from, limit: PAGE }, 'entries')).page.from;
  }
  const megabytes = residentMegabytes(pid);
  tap.send({ type: 'end' });
  await waitGone(pid);
  tap.close();
  return { megabytes, readyMs };
}

function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}
