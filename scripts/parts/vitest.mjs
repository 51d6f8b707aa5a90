// Runs one vitest project and counts the results. A test file that fails to load counts as a failure: vitest's own
// totals omit it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { CACHE } from './repository.mjs';
import { runNode } from './run.mjs';

/** @typedef {{passed: number, failed: number, skipped: number}} Counts */

/**
 * @param {string} project
 * @param {{filters: string[], env: NodeJS.ProcessEnv}} options
 * @returns {Promise<Counts>}
 */
export async function runProject(project, { filters, env }) {
  const folder = mkdtempSync(path.join(CACHE, 'vitest-'));
  const report = path.join(folder, 'report.json');
  const { code } = await runNode(
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      project,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...(filters.length > 0 ? ['--passWithNoTests', ...filters] : []),
    ],
    { env },
  );
  try {
    const counts = count(JSON.parse(readFileSync(report, 'utf8')));
    // Failed without a failed test: an unhandled error or a failed teardown.
    return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
  } catch (error) {
    console.error(`vitest left no report (exit ${code}): ${/** @type {Error} */ (error).message}`);
    return { passed: 0, failed: 1, skipped: 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {{testResults: {status: string, assertionResults: {status: string}[]}[]}} report
 * @returns {Counts}
 */
export function count(report) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { status, assertionResults } of report.testResults) {
    const before = counts.failed;
    for (const test of assertionResults) {
      if (test.status === 'passed') counts.passed += 1;
      else if (test.status === 'failed') counts.failed += 1;
      else counts.skipped += 1;
    }
    if (status === 'failed' && counts.failed === before) counts.failed += 1;
  }
  return counts;
}
