/**
 * Whether an agent may take up a project's configuration (X6). An allow-list: only a yes of the user's, given to exactly
 * what is there now, lets it. The yes belongs to the repository, so that its worktrees and folders share it.
 */
import type { ProjectConfig, TrustState } from '@tugdeck/protocol/trust/project-config';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { withChanges } from '@tugdeck/trust/difference';
import { differsOnlyByGrants, readGrants } from '@tugdeck/trust/grants';
import { placeOf } from '@tugdeck/trust/place';
import { readProjectConfig, type SeenConfig } from '@tugdeck/trust/project-config';
import type { UntrustedStart } from '../agents/agent-choices.ts';
import type { TrustDecision, TrustTable } from '../store/trust-table.ts';

export interface TrustCheck {
  readonly state: TrustState;
  readonly seen: SeenConfig;
}

export interface TrustOptions {
  readonly table: TrustTable;
  /** Where session hosts note the rules that the user saved. */
  readonly dataRoot: string;
  readonly home: string;
  readonly now: () => number;
}

export class Trust {
  readonly #table: TrustTable;
  readonly #dataRoot: string;
  readonly #home: string;
  readonly #now: () => number;

  constructor({ table, dataRoot, home, now }: TrustOptions) {
    this.#table = table;
    this.#dataRoot = dataRoot;
    this.#home = home;
    this.#now = now;
    this.#migrateEarlier();
  }

  /** Above this folder an agent's configuration is the user's own. */
  get home(): string {
    return this.#home;
  }

  /** What the user said, whatever the configuration is by now. */
  decision(directory: string): TrustDecision | undefined {
    return this.#table.decision(this.repositoryOf(directory));
  }

  repositoryOf(directory: string): string {
    return placeOf(directory, this.#home).repository;
  }

  check(directory: string): TrustCheck {
    const seen = readProjectConfig(directory, this.#home);
    const { repository } = seen.place;
    const decision = this.#table.decision(repository);
    if (decision === 'no') return { state: 'refused', seen };
    if (decision === undefined) return { state: 'unasked', seen };
    const isSeen = this.#table.hasSeen(repository, seen.hash) || this.#isGranted(seen);
    return { state: isSeen ? 'trusted' : 'changed', seen };
  }

  /** All that is new are rules which the user saved with "Always allow": they were asked already. */
  #isGranted({ place, findings, hash }: SeenConfig): boolean {
    const before = this.#table.lastSeen(place.repository) ?? [];
    const rules = readGrants(
      this.#dataRoot,
      (directory) => this.repositoryOf(directory) === place.repository,
    );
    if (rules.size === 0 || !differsOnlyByGrants(findings, before, rules)) return false;
    this.#table.see(place.repository, hash, findings, this.#now());
    return true;
  }

  /** What the question of trust shows. */
  describe(directory: string, leavesOut: UntrustedStart | undefined): ProjectConfig {
    const { state, seen } = this.check(directory);
    const before = state === 'changed' ? this.#table.lastSeen(seen.place.repository) : undefined;
    return {
      state,
      brought: withChanges(seen.findings, before),
      cut: false,
      canLeaveOut: leavesOut !== undefined,
      readsNone: leavesOut === 'reads-none',
      repository: seen.place.repository,
      hash: seen.hash,
    };
  }

  /** `hash` names what the user was shown; without it the yes is to whatever is there. */
  allow(directory: string, hash?: string): void {
    const { place, findings, hash: now } = readProjectConfig(directory, this.#home);
    if (hash !== undefined && hash !== now) {
      throw new CodedError(
        'PROJECT_UNTRUSTED',
        "The project's configuration changed while the question was open.",
        'Look at it again, then decide.',
      );
    }
    this.#table.see(place.repository, now, findings, this.#now());
    this.#table.decide(place.repository, 'yes', this.#now());
  }

  refuse(directory: string): void {
    this.#table.decide(this.repositoryOf(directory), 'no', this.#now());
  }

  /** A yes given before stays one, to what is there today; of several to one repository a yes wins. */
  #migrateEarlier(): void {
    const earlier = this.#table.earlier();
    if (earlier.length === 0) return;
    try {
      for (const { path } of earlier.filter(({ decision }) => decision === 'no')) this.refuse(path);
      for (const { path } of earlier.filter(({ decision }) => decision === 'yes')) this.allow(path);
      this.#table.clearEarlier();
    } catch {
      // A full disk: tried again at the next start. Until then the user is asked.
    }
  }
}
