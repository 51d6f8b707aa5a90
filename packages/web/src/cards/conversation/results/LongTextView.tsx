import type { LongText } from '@tugdeck/protocol/conversation/entries';
import { CutLines } from './CutLines.tsx';
import { splitLines } from './lines.ts';
import { useLongText } from './use-long-text.ts';

export function LongTextView({ text }: { text: LongText }) {
  const state = useLongText(text);
  const lines = splitLines(state.text);
  return (
    <CutLines total={lines.length} rest={state}>
      {(shown) => <pre className="plain">{lines.slice(0, shown).join('\n')}</pre>}
    </CutLines>
  );
}
