import './answers.css';
import { type Refusal, refusalText } from './answer-rules.ts';

/** Explains why a press was ignored. Overlays the frame, so that nothing moves. */
export function AnswerNote({ refusal }: { refusal: Refusal | undefined }) {
  return refusal === undefined ? null : (
    <span className="answer-note" role="alert">
      <span>{refusalText(refusal)}</span>
    </span>
  );
}
