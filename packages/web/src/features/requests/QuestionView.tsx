import type { QuestionEntry } from '@tugdeck/protocol/conversation/entries';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { visibleText } from '../../kit/visible-text.ts';
import { answerText } from './question-answer.ts';
import { SettledLine } from './SettledLine.tsx';

const OpenQuestion = lazyComponent(() => import('./OpenQuestion.tsx').then((part) => part.OpenQuestion));

export function QuestionView({ entry }: { entry: QuestionEntry }) {
  if (entry.request.status === 'pending') return <OpenQuestion entry={entry} />;
  if (entry.request.status !== 'answered') {
    return (
      <SettledLine entry={entry} decided="" about={visibleText(entry.request.questions[0]?.text ?? '')} />
    );
  }
  return answerText(entry).map(({ id, header, words }) => (
    <SettledLine key={id} entry={entry} decided={words} about={visibleText(header)} />
  ));
}
