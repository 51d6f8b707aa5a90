/** Takes up to `limit` items; a short result means the iterator is exhausted. */
export function take<T>(iterator: Iterator<T>, limit: number): T[] {
  const taken: T[] = [];
  while (taken.length < limit) {
    const step = iterator.next();
    if (step.done) break;
    taken.push(step.value);
  }
  return taken;
}
