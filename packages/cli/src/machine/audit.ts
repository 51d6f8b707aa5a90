/** The audit list of links (N25): who was added, reached, lost and removed, from the log of links. */
import { existsSync, readFileSync } from 'node:fs';
import { visibleText } from '@tugdeck/protocol/visible-text';

export interface AuditLine {
  readonly time: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** Oldest first. Lines that were cut off are left out. */
export function readAudit(file: string): AuditLine[] {
  return [`${file}.1`, file]
    .filter((one) => existsSync(one))
    .flatMap((one) => readFileSync(one, 'utf8').split('\n'))
    .flatMap((text) => {
      try {
        const line: unknown = JSON.parse(text);
        return isLine(line) ? [line] : [];
      } catch {
        return [];
      }
    });
}

function isLine(value: unknown): value is AuditLine {
  const { time, message } = (value ?? {}) as Partial<Record<string, unknown>>;
  return typeof time === 'string' && typeof message === 'string';
}

export function describeAudit({ time, message, machine, level, name, pid, ...rest }: AuditLine): string {
  const about = Object.entries(rest).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const named = typeof machine === 'string' ? machine : '';
  return visibleText(`${time}  ${named.padEnd(16)} ${message.padEnd(16)} ${about.join(', ')}`.trimEnd());
}
