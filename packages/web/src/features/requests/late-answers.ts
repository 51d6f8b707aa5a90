/** Requests whose answer from this page came too late (M4); their line says so. */
import { cell } from '../../kit/cell.ts';

export const lateAnswers = cell<ReadonlySet<string>>(new Set());

export function noteLateAnswer(entry: string): void {
  lateAnswers.set(new Set([...lateAnswers.get(), entry]));
}
