import { createHash } from 'node:crypto';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ChangeBody, changeBodySchema } from '@tugdeck/protocol/conversation/changes';
import { describe, expect, it } from 'vitest';
import { BLOB_HEAD, BLOB_TAIL, readBlob, storeText } from '../src/blobs.ts';
import { LONG_TEXT, spill } from '../src/spill.ts';
import { temporarySession } from './journal-fixture.ts';

const LONG = `begin ${'x'.repeat(LONG_TEXT)} end`;

describe('blobs', () => {
  it('X2 a text is stored by its hash, once, privately', () => {
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

  it('X1 only a hash is a name: nothing outside the directory can be read', () => {
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
    ['a text opened closed', { kind: 'entry.opened', entry: { ...text, status: 'complete' } }, 1],
    ['a text that still grows', { kind: 'entry.opened', entry: { ...text, status: 'partial' } }, 0],
    ['a patch of a text that may grow', { kind: 'entry.patched', entry: 'a', patch: { text: LONG } }, 0],
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

  it('X2 the bound is in bytes, not in characters', () => {
    const session = temporarySession();
    const patch = { error: 'ä'.repeat(LONG_TEXT / 2 + 1) };
    const spilled = spill({ kind: 'entry.patched', entry: 't', patch }, (long) => storeText(session, long));
    expect(spilled).toMatchObject({ patch: { error: { size: LONG_TEXT + 2 } } });
  });
});
