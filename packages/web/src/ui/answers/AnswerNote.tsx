import './answers.css';
import { type Refusal, refusalText } from './answer-rules.ts';

/** Says why a press did not answer. Lies over the frame, so that nothing moves by it. */
export function AnswerNote({ refusal }: { refusal: Refusal | undefined }) {
  return refusal === undefined ? null : (
    <span className="answer-note" role="alert">
      <span>{refusalText(refusal)}</span>
    </span>
  );
}
