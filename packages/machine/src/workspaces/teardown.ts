/** Waits for a teardown (B64), which never stops archiving. */

const LIMIT_MS = 2 * 60_000;

/** Returns a note if it failed. The terminal is closed when its workspace is archived. */
export async function tearDown(
  running: Promise<number | undefined>,
  limit: number = LIMIT_MS,
): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), limit);
  });
  try {
    const code = await Promise.race([running, late]);
    if (code === 0) return undefined;
    if (code === 'late') return 'The teardown was stopped after two minutes.';
    return code === undefined ? 'The teardown was stopped.' : `The teardown failed with exit code ${code}.`;
  } finally {
    clearTimeout(timer);
  }
}
