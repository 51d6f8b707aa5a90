import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fuzz } from './campaign.ts';
import { corpus, keep } from './corpus.ts';
import { TARGETS, type Target } from './targets.ts';

const INPUTS = process.env.TUGDECK_TEST_FULL === '1' ? 100_000 : 1_000;

for (const target of TARGETS) {
  test(`S2 invalid input causes no fault: ${target.name}`, () => {
    const { findings, inputs } = fuzz(target, { inputs: INPUTS, seed: 20_261_115 });
    expect(findings).toEqual([]);
    expect(inputs).toBeGreaterThanOrEqual(INPUTS);
  }, 300_000);

  const known = corpus().filter((one) => one.target === target.name);
  test.skipIf(known.length === 0)(`S2 earlier findings cause no fault: ${target.name}`, () => {
    const { findings } = fuzz(target, { inputs: 0, seed: 1, known: known.map(({ lines }) => lines) });
    expect(findings).toEqual([]);
  });

  test(`S2 valid input is accepted: ${target.name}`, () => {
    for (const lines of target.seeds()) target.run(lines);
  });
}

test('S2 the fuzzer finds exceptions and changed prototypes, and repeats them from the seed', () => {
  const broken: Target = {
    name: 'broken',
    seeds: () => [['{"text":"x"}']],
    run([line = '']) {
      const value = JSON.parse(line) as { text?: unknown } | null;
      if (typeof value?.text !== 'string') throw new Error('not a text');
    },
  };
  const { findings } = fuzz(broken, { inputs: 1_000, seed: 7 });
  expect(findings.length).toBeGreaterThan(0);
  const [first] = findings;
  const [again] = fuzz(broken, { inputs: 1, seed: first?.seed ?? 0 }).findings;
  expect(again?.lines).toEqual(first?.lines);
  const polluting: Target = {
    ...broken,
    run: () => Object.assign(Object.prototype, { polluted: true }),
  };
  expect(fuzz(polluting, { inputs: 1, seed: 1 }).findings[0]?.what).toContain('polluted');
  expect(Object.keys(Object.prototype)).toEqual([]);
});

test('S2 findings are stored and repeated, and every corpus file names a target', () => {
  const names = TARGETS.map(({ name }) => name);
  for (const { target } of corpus()) expect(names).toContain(target);
  const folder = mkdtempSync(join(tmpdir(), 'td-corpus-'));
  const finding = { target: 'keys', seed: 1, what: 'broke\nat', lines: ['\u0000', '{'] };
  expect(keep(finding, folder)).toMatch(/^keys-[0-9a-f]{12}\.json$/);
  expect(corpus(folder)).toEqual([{ target: 'keys', what: 'broke', lines: ['\u0000', '{'] }]);
});
