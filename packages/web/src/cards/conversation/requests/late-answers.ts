/** Answers of this page that came too late (M4): the request is settled by then, and its line says so. */
import { cell } from '../../../ui/cell.ts';

export const lateAnswers = cell<ReadonlySet<string>>(new Set());

export function noteLateAnswer(entry: string): void {
  lateAnswers.set(new Set([...lateAnswers.get(), entry]));
}
