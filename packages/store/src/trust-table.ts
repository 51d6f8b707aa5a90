/** The user's trust decision per repository, and the configurations it was given for (X6). */
import type { Finding } from '@tugdeck/trust/findings';
import type { Database } from './database.ts';

export type TrustDecision = 'yes' | 'no';

export interface TrustTable {
  decision(repository: string): TrustDecision | undefined;
  /** A no also deletes the configurations seen before. */
  decide(repository: string, decision: TrustDecision, at: number): void;
  hasSeen(repository: string, hash: string): boolean;
  see(repository: string, hash: string, findings: readonly Finding[], at: number): void;
  /** The configuration that was trusted last. */
  lastSeen(repository: string): Finding[] | undefined;
  /** Decisions stored per project by earlier versions. */
  earlier(): { readonly path: string; readonly decision: TrustDecision }[];
  clearEarlier(): void;
}

/** Branches and worktrees of one repository may each have their own configuration. */
const MAX_SEEN = 50;
/** Only needed to show removed items. */
const MAX_TEXT = 4_000;

export function trustTable(database: Database): TrustTable {
  const word = database.prepare('SELECT word FROM trust WHERE repository = ?');
  const decide = database.prepare(
    `INSERT INTO trust (repository, word, decided_at) VALUES (?, ?, ?)
     ON CONFLICT (repository) DO UPDATE SET word = excluded.word, decided_at = excluded.decided_at`,
  );
  const forget = database.prepare('DELETE FROM trust_seen WHERE repository = ?');
  const has = database.prepare('SELECT 1 FROM trust_seen WHERE repository = ? AND hash = ?');
  const see = database.prepare(
    `INSERT INTO trust_seen (repository, hash, findings, seen_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (repository, hash) DO UPDATE SET findings = excluded.findings, seen_at = excluded.seen_at`,
  );
  const trim = database.prepare(
    `DELETE FROM trust_seen WHERE repository = ?1 AND rowid NOT IN
     (SELECT rowid FROM trust_seen WHERE repository = ?1 ORDER BY seen_at DESC, rowid DESC LIMIT ${MAX_SEEN})`,
  );
  const last = database.prepare(
    'SELECT findings FROM trust_seen WHERE repository = ? ORDER BY seen_at DESC, rowid DESC LIMIT 1',
  );
  const earlier = database.prepare('SELECT path, trust FROM projects WHERE trust IS NOT NULL');
  const clear = database.prepare('UPDATE projects SET trust = NULL WHERE trust IS NOT NULL');
  return {
    decision: (repository) => (word.get(repository) as { word: TrustDecision } | undefined)?.word,
    decide: (repository, value, at) => {
      decide.run(repository, value, at);
      if (value === 'no') forget.run(repository);
    },
    hasSeen: (repository, hash) => has.get(repository, hash) !== undefined,
    see: (repository, hash, findings, at) => {
      const shortened = findings.map((finding) => ({ ...finding, text: finding.text.slice(0, MAX_TEXT) }));
      see.run(repository, hash, JSON.stringify(shortened), at);
      trim.run(repository);
    },
    lastSeen: (repository) => {
      const row = last.get(repository) as { findings: string } | undefined;
      return row && (JSON.parse(row.findings) as Finding[]);
    },
    earlier: () =>
      (earlier.all() as { path: string; trust: string }[]).flatMap(({ path, trust }) =>
        trust === 'yes' || trust === 'no' ? [{ path, decision: trust }] : [],
      ),
    clearEarlier: () => void clear.run(),
  };
}
