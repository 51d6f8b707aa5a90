import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FirstPrompts } from '../src/sessions/first-prompts.ts';

test('B3 a prompt that can be neither delivered nor kept as a draft stays on disk, and the server continues', async () => {
  const run = mkdtempSync(join(tmpdir(), 'first-prompts-'));
  const warnings: string[] = [];
  const prompts = new FirstPrompts({
    data: { run, session: (id) => ({ root: id }) as never },
    hosts: { ensure: () => Promise.reject(new Error('no host')) },
    connectMs: 1_000,
    changed: () => undefined,
    failed: () => {
      throw new Error('database or disk is full');
    },
    log: { warn: (message) => void warnings.push(message) },
  });
  try {
    prompts.hold('s', { kind: 'prompt.send', id: 'c', text: 'hello' } as never);
    await expect.poll(() => warnings).toEqual(['first prompt not delivered', 'first prompt kept']);
    expect(existsSync(join(run, 'first-prompts', 's.json'))).toBe(true);
  } finally {
    rmSync(run, { recursive: true });
  }
});
