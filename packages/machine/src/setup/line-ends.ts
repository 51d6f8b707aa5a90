/** Keeps the line ends of a file that is edited in the page, where a text field has only LF. Pure. */

/** `text` with the line ends of `before`: of the same lines at its start and end, of replaced lines, and else of the first line. */
export function withLineEndsOf(before: string, text: string): string {
  if (!before.includes('\r')) return text;
  const [was, now] = [linesOf(before), linesOf(text)];
  const usual = was[0]?.end || '\n';
  let start = 0;
  while (start < Math.min(was.length, now.length) && was[start]?.text === now[start]?.text) start++;
  let end = 0;
  while (end < Math.min(was.length, now.length) - start && was.at(-1 - end)?.text === now.at(-1 - end)?.text)
    end++;
  return now
    .map((line, index) => {
      const fromEnd = was.length - now.length + index;
      const isReplaced = was.length === now.length;
      const same =
        index < start || isReplaced ? was[index] : index >= now.length - end ? was[fromEnd] : undefined;
      return line.text + (line.end === '' ? '' : same?.end || usual);
    })
    .join('');
}

function linesOf(text: string): { text: string; end: string }[] {
  return [...text.matchAll(/([^\r\n]*)(\r\n|\n|\r|$)/g)].map(([, line = '', end = '']) => ({
    text: line,
    end,
  }));
}
