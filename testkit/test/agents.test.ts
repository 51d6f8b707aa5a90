// The pinned agents: installed, found, and locked without download URLs.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { agentVersion, claudeBinary, claudeVersion, OTHER_AGENTS } from '../src/agents.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const arch = process.arch;

afterEach(() => {
  Object.defineProperty(process, 'arch', { value: arch });
});

test('A13 pins exact agent versions, and installing them again does nothing', () => {
  for (const version of [claudeVersion, ...OTHER_AGENTS.map(agentVersion)]) {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  }
  const said = execFileSync(process.execPath, [here('../install-agents.mjs')], { encoding: 'utf8' });
  expect(said).toBe('agents: present\n');
});

test('A13 the agents lockfile has versions and hashes but no URLs', () => {
  const lock = readFileSync(here('../agents/package-lock.json'), 'utf8');
  expect(lock).toContain('"integrity"');
  expect(lock).not.toContain('"resolved"');
  // Funding URLs may stay: nothing is downloaded from them.
  expect(lock.replace(/"url": "[^"]*"/g, '')).not.toMatch(/https?:\/\//);
});

test('A13 reports a missing agent together with the install command', () => {
  Object.defineProperty(process, 'arch', { value: 'pdp11' });
  expect(claudeBinary).toThrow(/pdp11 in testkit\/agents\. Run `node scripts\/test\.mjs`/);
});
