/**
 * Formats review comments as one message to the agent, and finds its answers by the comments' ids (W4). Pure; both
 * directions in one file, because they must match.
 */
import type { ReviewComment } from './review-messages.ts';

type Sent = Pick<ReviewComment, 'id' | 'path' | 'side' | 'line' | 'quote' | 'text'>;

export function commentMessage(comments: readonly Sent[]): string {
  const [first] = comments;
  const intro =
    comments.length === 1
      ? `A review comment on your changes. Please address it, and answer it in your reply on a line that begins with its id: [${first?.id}].`
      : `Review comments on your changes. Please address each of them, and answer each in your reply on a separate line that begins with its id, such as [${first?.id}].`;
  return [intro, ...comments.map(block)].join('\n\n');
}

function block({ id, path, side, line, quote, text }: Sent): string {
  const where = `${path}:${line}${side === 'old' ? ' (removed line)' : ''}`;
  const quoted = quote
    .split('\n')
    .slice(0, 8)
    .map((one) => `> ${one}`)
    .join('\n');
  return `[${id}] ${where}\n${quoted}\n${text.trim()}`;
}

/** A line that starts with an id, in any formatting: `[R1]`, `- **[R1]**:`, `### R1.` */
const MARK = /^[\s>#*_-]*\[?(R\d{1,6})\]?[*_]*\s*(?:[:.)–—-]|\s|$)/;
const BRACKETS = /^[\s>#*_\d.-]*[*_]*\[(R\d{1,6})\]/;
const MAX_ANSWER = 20_000;

/** The agent's answer to each comment; an answer ends where the next one starts. */
export function answersIn(text: string, ids: ReadonlySet<string>): Map<string, string> {
  const answers = new Map<string, string>();
  let current: string | undefined;
  for (const line of text.split('\n')) {
    const id = (BRACKETS.exec(line) ?? MARK.exec(line))?.[1];
    if (id !== undefined && ids.has(id)) {
      current = id;
      const rest = line.slice(line.indexOf(id) + id.length).replace(/^\]?[*_]*\s*[:.)–—-]?\s*/, '');
      answers.set(id, join(answers.get(id), rest));
    } else if (current !== undefined) {
      answers.set(current, join(answers.get(current), line));
    }
  }
  for (const [id, answer] of answers) answers.set(id, answer.trim().slice(0, MAX_ANSWER));
  return answers;
}

function join(before: string | undefined, line: string): string {
  return before === undefined || before === '' ? line : `${before}\n${line}`;
}
