import { createHash } from 'node:crypto';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ChangeBody, changeBodySchema } from '@tugdeck/protocol/conversation/changes';
import type { FileDiff } from '@tugdeck/protocol/conversation/entries';
import { describe, expect, it } from 'vitest';
import { BLOB_HEAD, BLOB_TAIL, readBlob, storeText } from '../src/blobs.ts';
import { LONG_TEXT } from '../src/long-text.ts';
import { spill } from '../src/spill.ts';
import { temporarySession } from './journal-fixture.ts';

const LONG = `begin ${'x'.repeat(LONG_TEXT)} end`;

const MANY = Array.from({ length: 20_000 }, (_, index) => `row ${index}`);

function fileDiff(lines: number): FileDiff {
  const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: lines, lines: ['-before'] };
  for (let index = 0; index < lines; index += 1) hunk.lines.push(`+line ${index}`);
  return { path: 'a.ts', hunks: [hunk] };
}

describe('blobs', () => {
  it('X2 stores a text once, under its hash, readable by the owner only', () => {
    const session = temporarySession();
    const first = storeText(session, LONG);
    expect(storeText(session, LONG)).toEqual(first);
    expect(first.blob).toBe(createHash('sha256').update(LONG).digest('hex'));
    expect(first.size).toBe(LONG.length);
    expect(LONG.startsWith(first.head) && LONG.endsWith(first.tail)).toBe(true);
    expect(readBlob(session, first.blob)?.toString()).toBe(LONG);
    expect(readdirSync(session.blobs)).toEqual([first.blob]);
    expect(statSync(join(session.blobs, first.blob)).mode & 0o777).toBe(0o600);
    expect(statSync(session.blobs).mode & 0o777).toBe(0o700);
  });

  it('X2 head and tail neither overlap nor split a character', () => {
    const session = temporarySession();
    for (const text of [
      '',
      'short',
      `a${'🙂'.repeat(BLOB_HEAD)}b`,
      '🙂'.repeat(BLOB_HEAD),
      'y'.repeat(BLOB_HEAD + 5),
    ]) {
      const { head, tail } = storeText(session, text);
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
      expect(head.length + tail.length).toBeLessThanOrEqual(text.length);
      expect(head.length).toBeLessThanOrEqual(BLOB_HEAD);
      expect(tail.length).toBeLessThanOrEqual(BLOB_TAIL);
      expect(Buffer.from(head).toString()).toBe(head);
      expect(Buffer.from(tail).toString()).toBe(tail);
    }
  });

  it('X1 accepts only hashes as names, so nothing outside the directory can be read', () => {
    const session = temporarySession();
    storeText(session, 'x');
    writeFileSync(join(session.root, 'secret'), 'secret');
    const hash = 'a'.repeat(64);
    for (const name of [
      '../secret',
      '..',
      '',
      '.',
      `../blobs/${hash}`,
      `${hash}/..`,
      hash.toUpperCase(),
      `${hash}\n`,
      `${hash}\0`,
    ]) {
      expect(readBlob(session, name)).toBeUndefined();
    }
    expect(readBlob(session, hash)).toBeUndefined();
  });
});

describe('spill', () => {
  const text = { kind: 'text', id: 'a', text: LONG } as const;
  const tool = {
    kind: 'tool',
    id: 't',
    status: 'partial',
    name: 'N',
    title: '',
    toolKind: 'shell',
    state: 'running',
  } as const;
  const cases: readonly [string, ChangeBody, number][] = [
    ['a closing text', { kind: 'entry.closed', entry: 'a', status: 'complete', patch: { text: LONG } }, 1],
    ['a text that is opened complete', { kind: 'entry.opened', entry: { ...text, status: 'complete' } }, 1],
    ['a text that is still streaming', { kind: 'entry.opened', entry: { ...text, status: 'partial' } }, 0],
    [
      'a patch of a text that may still stream',
      { kind: 'entry.patched', entry: 'a', patch: { text: LONG } },
      0,
    ],
    ['an error', { kind: 'entry.patched', entry: 't', patch: { error: LONG } }, 1],
    [
      'terminal output',
      {
        kind: 'entry.closed',
        entry: 't',
        status: 'complete',
        patch: { result: { type: 'terminal', stdout: LONG, stderr: 'short' } },
      },
      1,
    ],
    [
      'an image',
      {
        kind: 'entry.opened',
        entry: { ...tool, result: { type: 'image', mimeType: 'image/png', data: LONG } },
      },
      1,
    ],
    [
      'matches',
      { kind: 'entry.opened', entry: { ...tool, result: { type: 'matches', files: [], text: LONG } } },
      1,
    ],
    [
      'fields',
      { kind: 'entry.opened', entry: { ...tool, fields: [{ label: 'l', value: LONG, form: 'code' }] } },
      1,
    ],
    [
      'an attachment',
      {
        kind: 'prompt.accepted',
        prompt: {
          id: 'p',
          text: 'look',
          attachments: [{ name: 'n', mimeType: 'text/plain', size: 1, data: LONG }],
        },
      },
      1,
    ],
    [
      'a detail',
      {
        kind: 'entry.opened',
        entry: {
          id: 'n',
          kind: 'notice',
          status: 'complete',
          text: '',
          notice: 'crash',
          level: 'error',
          detail: LONG,
        },
      },
      1,
    ],
    [
      'a long text inside an input',
      { kind: 'entry.patched', entry: 't', patch: { input: { path: 'a', edits: [{ text: LONG }] } } },
      1,
    ],
    ['an input of many parts', { kind: 'entry.opened', entry: { ...tool, input: { rows: MANY } } }, 1],
    [
      'a result of data',
      { kind: 'entry.patched', entry: 't', patch: { result: { type: 'json', value: MANY } } },
      1,
    ],
    [
      'a short input',
      { kind: 'entry.patched', entry: 't', patch: { input: { path: 'a' }, diff: [fileDiff(3)] } },
      0,
    ],
    ['a long diff', { kind: 'entry.patched', entry: 't', patch: { diff: [fileDiff(9_000)] } }, 1],
    [
      'a diff of many files',
      {
        kind: 'entry.patched',
        entry: 't',
        patch: { diff: Array.from({ length: 60 }, () => fileDiff(100)) },
      },
      46,
    ],
    [
      'a request',
      {
        kind: 'entry.opened',
        entry: {
          id: 'r',
          kind: 'permission',
          status: 'partial',
          request: {
            status: 'pending',
            shown: 's',
            tool: 'N',
            toolKind: 'edit',
            title: '',
            fields: [{ label: 'l', value: LONG, form: 'code' }],
            diff: [fileDiff(9_000)],
            input: { content: LONG },
            options: [],
            canEdit: true,
            canComment: true,
          },
        },
      },
      3,
    ],
    ['another change', { kind: 'prompt.edited', prompt: 'p', text: LONG }, 0],
  ];

  it.each(cases)('X2 %s', (_, change, blobs) => {
    const session = temporarySession();
    let stored = 0;
    const spilled = spill(change, (long) => {
      stored += 1;
      return storeText(session, long);
    });
    expect(stored).toBe(blobs);
    expect(changeBodySchema.parse(spilled)).toEqual(spilled);
    if (blobs > 0) expect(JSON.stringify(spilled).length).toBeLessThan(LONG_TEXT / 2);
    else expect(spilled).toEqual(change);
    expect(spill(spilled, () => expect.fail('stored twice'))).toEqual(spilled);
  });

  it('X2 a long diff keeps its first lines and counts, and refers to the rest by hash', () => {
    const session = temporarySession();
    const whole = fileDiff(9_000);
    const spilled = spill({ kind: 'entry.patched', entry: 't', patch: { diff: [whole] } }, (long) =>
      storeText(session, long),
    );
    const [file] = spilled.kind === 'entry.patched' ? (spilled.patch.diff ?? []) : [];
    expect(file).toMatchObject({ path: 'a.ts', counts: { added: 9_000, removed: 1 } });
    const kept = file?.hunks[0]?.lines ?? [];
    expect(kept.length).toBeGreaterThan(100);
    expect(whole.hunks[0]?.lines.slice(0, kept.length)).toEqual(kept);
    expect(JSON.parse(String(readBlob(session, file?.more?.blob ?? '')))).toEqual(whole.hunks);
  });

  it('X2 data keeps its shape around a long text, or becomes one JSON blob', () => {
    const session = temporarySession();
    const store = (long: string) => storeText(session, long);
    const inputOf = (input: unknown) => {
      const spilled = spill({ kind: 'entry.patched', entry: 't', patch: { input } }, store);
      return spilled.kind === 'entry.patched' ? spilled.patch.input : undefined;
    };
    expect(inputOf({ path: 'a', text: LONG })).toEqual({ path: 'a', text: store(LONG) });
    expect(inputOf(LONG)).toEqual(store(LONG));
    expect(inputOf({ rows: MANY })).toEqual({ ...store(JSON.stringify({ rows: MANY })), form: 'json' });
  });

  it('X2 the limit is in bytes, not in characters', () => {
    const session = temporarySession();
    const patch = { error: 'ä'.repeat(LONG_TEXT / 2 + 1) };
    const spilled = spill({ kind: 'entry.patched', entry: 't', patch }, (long) => storeText(session, long));
    expect(spilled).toMatchObject({ patch: { error: { size: LONG_TEXT + 2 } } });
  });
});
