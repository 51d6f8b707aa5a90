import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '@tugdeck/local/log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RowCopy } from '../src/row-copy.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'row-copy-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('N13 closing saves the rows, and nothing is written afterwards', async () => {
  const file = join(folder, 'machines', 'box.json');
  const log = { warn: (...words: unknown[]) => expect.unreachable(words.join(' ')) } as unknown as Log;
  const rows = new RowCopy({ machine: 'box', file, isTaken: () => false, changed: () => undefined, log });
  const deck = { projects: [], agents: [], defaultAgent: 'claude', sessions: [] };
  rows.apply({ type: 'whole', deck });
  await rows.close();
  expect(existsSync(file)).toBe(true);
  const again = new RowCopy({ machine: 'box', file, isTaken: () => false, changed: () => undefined, log });
  expect(await again.load()).toBeGreaterThan(0);
  expect(again.head.defaultAgent).toBe('claude');
});
