/**
 * Structured logs (X3): JSON lines in one file per process, rotated when full, with secrets redacted by key. Never
 * writes to stdout, which belongs to the command line and the stdio protocol.
 */
import { appendFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivate } from './data-directory.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

export interface LogOptions {
  readonly file: string;
  readonly name: string;
  readonly level?: LogLevel;
  readonly maxBytes?: number;
}

const SECRET = /secret|token|password|passwd|cookie|authorization|api[-_]?key|credential/i;

export function openLog({ file, name, level = 'info', maxBytes = 4 * 1024 * 1024 }: LogOptions): Log {
  makePrivate(dirname(file));
  let size = sizeOf(file);
  /** Number of lines lost since the last successful write. */
  let lost = 0;
  const write = (at: LogLevel, message: string, fields: Record<string, unknown> = {}) => {
    if (LOG_LEVELS.indexOf(at) < LOG_LEVELS.indexOf(level)) return;
    const line = `${JSON.stringify({ time: new Date().toISOString(), level: at, name, pid: process.pid, message, ...(lost > 0 ? { lost } : {}), ...(withoutSecrets(fields) as object) })}\n`;
    try {
      if (size + line.length > maxBytes) {
        if (size > 0) renameSync(file, `${file}.1`);
        size = 0;
      }
      appendFileSync(file, line, { mode: 0o600 });
      size += line.length;
      lost = 0;
    } catch {
      lost += 1; // A failed log write must not end the process.
    }
  };
  return {
    debug: (message, fields) => write('debug', message, fields),
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, fields) => write('error', message, fields),
  };
}

export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (value instanceof Error) return { error: value.message, stack: value.stack };
  if (!value || typeof value !== 'object' || depth > 6) return value;
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [
      key,
      SECRET.test(key) ? '[removed]' : withoutSecrets(field, depth + 1),
    ]),
  );
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
