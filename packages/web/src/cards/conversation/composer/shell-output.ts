/** Extracts a command's output from the terminal's text, without the command line and the next prompt. Pure. */
export function outputOf(command: string, shown: string): string {
  const lines = shown.split('\n');
  const typed = lines.findLastIndex((line) => line.endsWith(command) && line.length > command.length);
  if (typed < 0) return shown;
  const prompt = lines[typed]?.slice(0, -command.length).trimEnd() ?? '';
  const rest = lines.slice(typed + 1);
  if (prompt !== '' && rest.at(-1)?.trimEnd() === prompt) rest.pop();
  return rest.join('\n');
}
