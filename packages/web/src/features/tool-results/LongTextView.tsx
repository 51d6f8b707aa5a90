import type { LongText } from '@tugdeck/protocol/conversation/long-text';
import { visibleExact, visibleProse } from '../../kit/visible-text.ts';
import { CutLines } from './CutLines.tsx';
import { splitLines } from './lines.ts';
import { useLongText } from './use-long-text.ts';

export interface LongTextViewProps {
  text: LongText;
  /** The user decides on this text: hidden characters must be visible. */
  isExact?: boolean;
}

export function LongTextView({ text, isExact = false }: LongTextViewProps) {
  const state = useLongText(text);
  const lines = splitLines((isExact ? visibleExact : visibleProse)(state.text));
  return (
    <CutLines total={lines.length} rest={state}>
      {(shown) => <pre className="plain">{lines.slice(0, shown).join('\n')}</pre>}
    </CutLines>
  );
}
