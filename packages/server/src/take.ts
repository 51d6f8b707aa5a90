/** The next few of what is walked through a part at a time; fewer are the last. */
export function take<T>(iterator: Iterator<T>, limit: number): T[] {
  const taken: T[] = [];
  while (taken.length < limit) {
    const step = iterator.next();
    if (step.done) break;
    taken.push(step.value);
  }
  return taken;
}
