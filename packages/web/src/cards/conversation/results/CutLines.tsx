import { type ReactNode, useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { bytes, plural } from '../../../ui/words.ts';
import { CUT } from './lines.ts';
import type { LongTextState } from './use-long-text.ts';

export interface CutLinesProps {
  total: number;
  /** Where not all of it is here yet. */
  rest?: LongTextState;
  children: (shown: number) => ReactNode;
}

/** Ten lines, and all of them on request. */
export function CutLines({ total, rest, children }: CutLinesProps) {
  const [isWhole, setWhole] = useState(false);
  // Cutting one or two lines off saves nothing and costs a click.
  const isCut = !isWhole && total > CUT + 2;
  const showAll = () => {
    setWhole(true);
    rest?.load?.();
  };
  return (
    <>
      {children(isCut ? CUT : total)}
      {isCut || rest?.load ? (
        <Button look="link" className="show-all" onClick={showAll}>
          Show all {rest?.size === undefined ? plural(total, 'line') : `(${bytes(rest.size)})`}
        </Button>
      ) : null}
      {rest?.fault ? <p className="fault">{rest.fault}</p> : null}
    </>
  );
}
