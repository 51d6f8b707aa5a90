/** The next few of what is walked through a part at a time; fewer are the last. */
export function nextOf<T>(walk: Iterator<T>, most: number): T[] {
  const part: T[] = [];
  while (part.length < most) {
    const step = walk.next();
    if (step.done) break;
    part.push(step.value);
  }
  return part;
}
