import { type ReactNode, useState } from 'react';
import { bytes, plural } from '../../kit/format.ts';
import { Button } from '../../ui/Button.tsx';
import { CUT } from './lines.ts';

/** Content that is not loaded yet. */
export interface Rest {
  readonly load?: () => void;
  readonly size?: number;
  readonly fault?: string | undefined;
}

export interface CutLinesProps {
  total: number;
  rest?: Rest;
  /** Shown before the line count if these are not all lines. */
  what?: string;
  /** Renders all loaded lines. */
  isOpen?: boolean;
  children: (shown: number) => ReactNode;
}

/** Shows ten lines, and all on request. */
export function CutLines({ total, rest, what = 'all', isOpen = false, children }: CutLinesProps) {
  const [isWhole, setWhole] = useState(isOpen);
  // Hiding one or two lines saves nothing and costs a click.
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
