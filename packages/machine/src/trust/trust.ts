/**
 * Decides whether agents may use a project's configuration (X6). Only the user's explicit trust in exactly the
 * current configuration allows it. Trust belongs to the repository and is shared by its worktrees and folders.
 */
import type { ProjectConfig, TrustState } from '@tugdeck/protocol/trust/project-config';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { TrustDecision, TrustTable } from '@tugdeck/store/trust-table';
import { withChanges } from '@tugdeck/trust/difference';
import { differsOnlyByGrants, readGrants } from '@tugdeck/trust/grants';
import { placeOf } from '@tugdeck/trust/place';
import { readProjectConfig, type SeenConfig } from '@tugdeck/trust/project-config';
import type { UntrustedStart } from '../agents/agent-choices.ts';

export interface TrustCheck {
  readonly state: TrustState;
  readonly seen: SeenConfig;
}

export interface TrustOptions {
  readonly table: TrustTable;
  /** Session hosts record "Always allow" rules here. */
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

  /** Configuration in this folder and above is the user's own. */
  get home(): string {
    return this.#home;
  }

  /** The user's decision, even if the configuration has changed since. */
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

  /** Whether only rules were added that the user saved with "Always allow". */
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

  /** The configuration and its state for the trust question. */
  describe(directory: string, untrustedStart: UntrustedStart | undefined): ProjectConfig {
    const { state, seen } = this.check(directory);
    const before = state === 'changed' ? this.#table.lastSeen(seen.place.repository) : undefined;
    return {
      state,
      brought: withChanges(seen.findings, before),
      cut: false,
      canLeaveOut: untrustedStart !== undefined,
      readsNone: untrustedStart === 'reads-none',
      repository: seen.place.repository,
      hash: seen.hash,
    };
  }

  /** `hash` identifies what the user was shown; without it the current configuration is trusted. */
  allow(directory: string, hash?: string): void {
    const { place, findings, hash: now } = readProjectConfig(directory, this.#home);
    if (hash !== undefined && hash !== now) {
      throw new CodedError(
        'PROJECT_UNTRUSTED',
        "The project's configuration changed while you were deciding.",
        'Review it again, then decide.',
      );
    }
    this.#table.see(place.repository, now, findings, this.#now());
    this.#table.decide(place.repository, 'yes', this.#now());
  }

  refuse(directory: string): void {
    this.#table.decide(this.repositoryOf(directory), 'no', this.#now());
  }

  /**
   * Migrates decisions stored per project: a yes applies to the current configuration, and wins over a no for the
   * same repository.
   */
  #migrateEarlier(): void {
    const earlier = this.#table.earlier();
    if (earlier.length === 0) return;
    try {
      for (const { path } of earlier.filter(({ decision }) => decision === 'no')) this.refuse(path);
      for (const { path } of earlier.filter(({ decision }) => decision === 'yes')) this.allow(path);
      this.#table.clearEarlier();
    } catch {
      // Disk full: retried at the next start. Until then the user is asked.
    }
  }
}
