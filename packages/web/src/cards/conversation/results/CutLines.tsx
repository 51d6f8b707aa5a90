import { type ReactNode, useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { bytes, plural } from '../../../ui/format.ts';
import { CUT } from './lines.ts';

/** What is not here yet. */
export interface Rest {
  readonly load?: () => void;
  readonly size?: number;
  readonly fault?: string | undefined;
}

export interface CutLinesProps {
  total: number;
  rest?: Rest;
  /** Before the number of lines, where they are not all there were. */
  what?: string;
  /** Everything that is here is drawn at once. */
  isOpen?: boolean;
  children: (shown: number) => ReactNode;
}

/** Ten lines, and all of them on request. */
export function CutLines({ total, rest, what = 'all', isOpen = false, children }: CutLinesProps) {
  const [isWhole, setWhole] = useState(isOpen);
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
          Show {what} {rest?.size === undefined ? plural(total, 'line') : `(${bytes(rest.size)})`}
        </Button>
      ) : null}
      {rest?.fault ? <p className="fault">{rest.fault}</p> : null}
    </>
  );
}
