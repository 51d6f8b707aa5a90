/**
 * MCP server states of running sessions, as last reported by their agents (W6). Cached, because journals may be
 * large.
 */
import { readTail } from '@tugdeck/journal/reader';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { HostPool } from '../hosts/host-pool.ts';
import type { Sessions } from '../sessions/sessions.ts';

export interface ServerState {
  readonly name: string;
  readonly status: string;
}

interface Options {
  readonly pool: Pick<HostPool, 'list'>;
  readonly sessions: Pick<Sessions, 'find'>;
  readonly data: DataDirectory;
  readonly now: () => number;
}

const CACHE_MS = 5_000;

export class LiveServers {
  readonly #options: Options;
  readonly #cache = new Map<
    string,
    { readonly at: number; readonly v: number; readonly servers: readonly ServerState[] }
  >();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Servers of the agent's most recently active running session, optionally in one project. */
  of(agent: string, project: string | undefined): readonly ServerState[] {
    const { pool, sessions } = this.#options;
    const live = pool.list();
    for (const session of this.#cache.keys()) {
      if (!live.some((host) => host.session === session)) this.#cache.delete(session);
    }
    const [newest] = live
      .map(({ session, summary }) => ({ row: sessions.find(session), v: summary?.v ?? 0 }))
      .filter(({ row }) => row?.agent === agent && (project === undefined || row.project === project))
      .sort((a, b) => (b.row?.activeAt ?? 0) - (a.row?.activeAt ?? 0));
    return newest?.row ? this.#servers(newest.row.id, newest.v) : [];
  }

  #servers(session: string, v: number): readonly ServerState[] {
    const at = this.#options.now();
    const known = this.#cache.get(session);
    if (known && (known.v === v || at - known.at < CACHE_MS)) return known.servers;
    const servers = readTail(this.#options.data.session(session))?.facts.mcpServers ?? [];
    this.#cache.set(session, { at, v, servers });
    return servers;
  }
}
