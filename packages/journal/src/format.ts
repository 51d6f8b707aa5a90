/**
 * Encodes and decodes the lines of a segment. The first line is the head; every other line is a batch of changes
 * (`c`) or a checkpoint of streamed text (`l`). Defines the format version.
 */

import { type Append, appendSchema, type Change, parseChange } from '@tugdeck/protocol/conversation/changes';
import { type Entry, entrySchema, MAX_ENTRIES } from '@tugdeck/protocol/conversation/entries';
import { type Snapshot, snapshotSchema } from '@tugdeck/protocol/conversation/window';
import { parseJson } from '@tugdeck/protocol/parse-json';
import { CodedError } from '@tugdeck/protocol/wire/errors';

export const FORMAT = 1;
export const SEGMENT_BYTES = 1024 * 1024;
/** The first fields of a head are within this many bytes. */
export const HEAD_START = 128;

const NAME = /^(\d{8})\.jsonl$/;
const START = /^\{"format":(\d{1,9}),"segment":(\d{1,9}),"nextSeq":(\d{1,15}),/;
const FORMAT_ONLY = /^\{"format":(\d{1,9})\D/;

export interface Head {
  /** `seq` → the newest segment that contains this entry, if that is not the one it was opened in. */
  readonly moved: ReadonlyMap<number, number>;
  readonly snapshot: Snapshot;
}

/** One atomic batch of changes. */
export interface Batch {
  readonly changes: readonly Change[];
  /** `nextSeq` after the batch. Keeps `seq` right when a damaged line before it was skipped. */
  readonly nextSeq: number;
  /** Entries of older segments that the batch changes, as they were before it. */
  readonly entries: readonly Entry[];
}
export type BodyLine = { readonly batch: Batch } | { readonly appends: readonly Append[] };

export function segmentName(number: number): string {
  return `${String(number).padStart(8, '0')}.jsonl`;
}

/** Numbers of the segments among these names, oldest first. */
export function segmentNumbers(names: readonly string[]): number[] {
  return names
    .map((name) => Number(NAME.exec(name)?.[1] ?? Number.NaN))
    .filter((number) => number > 0)
    .sort((a, b) => a - b);
}

export function encodeHead(segment: number, { moved, snapshot }: Head): string {
  const { nextSeq } = snapshot;
  return `${JSON.stringify({ format: FORMAT, segment, nextSeq, moved: [...moved], snapshot })}\n`;
}

export function encodeBatch({ changes, nextSeq, entries }: Batch): string {
  return `${JSON.stringify({ c: changes, s: nextSeq, ...(entries.length > 0 ? { e: entries } : {}) })}\n`;
}

export function encodeAppends(appends: readonly Append[]): string {
  return `${JSON.stringify({ l: appends })}\n`;
}

/** Reads a segment's first `seq` from the start of its head. */
export function firstSeq(start: string): number | undefined {
  refuseNewer(start);
  const found = START.exec(start)?.[3];
  return found === undefined ? undefined : Number(found);
}

export function decodeHead(line: string): Head | undefined {
  refuseNewer(line);
  if (!START.test(line)) return undefined;
  const value = parseLine(line);
  if (!isRecord(value) || !Array.isArray(value.moved)) return undefined;
  const snapshot = snapshotSchema.safeParse(value.snapshot);
  return snapshot.success
    ? { moved: new Map(value.moved.filter(isPair)), snapshot: snapshot.data }
    : undefined;
}

export function decodeBody(line: string): BodyLine | undefined {
  const value = parseLine(line);
  if (!isRecord(value)) return undefined;
  if (Array.isArray(value.l)) {
    const appends = value.l.map((append) => appendSchema.safeParse(append));
    return appends.every(({ success }) => success)
      ? { appends: appends.flatMap(({ data }) => (data ? [data] : [])) }
      : undefined;
  }
  if (!Array.isArray(value.c) || !isSeq(value.s)) return undefined;
  const changes = value.c.map(parseChange).filter((change) => change !== undefined);
  const stated = Array.isArray(value.e) ? value.e : [];
  const entries = stated.map((entry) => entrySchema.safeParse(entry)).flatMap(({ data }) => data ?? []);
  if (changes.length < value.c.length || entries.length < stated.length) return undefined;
  return { batch: { changes, nextSeq: value.s, entries } };
}

function refuseNewer(start: string): void {
  const format = Number(FORMAT_ONLY.exec(start)?.[1] ?? 0);
  if (format > FORMAT) throw new CodedError('DATA_NEWER');
}

function parseLine(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    return undefined; // Not a valid line: the caller quarantines it.
  }
}

function isSeq(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_ENTRIES;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPair(value: unknown): value is [number, number] {
  return Array.isArray(value) && typeof value[0] === 'number' && typeof value[1] === 'number';
}
