import { Camera, ExternalLink, RefreshCw, SquareDashedMousePointer, SquareTerminal } from 'lucide-react';
import { useState } from 'react';
import { plural } from '../../kit/format.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Menu } from '../../ui/Menu.tsx';

export interface PreviewBarProps {
  address: string | undefined;
  /** Returns whether the text is an address that can be shown. */
  onGo: (text: string) => boolean;
  onReload: () => void;
  /** In pixels; undefined fits the panel. */
  width: number | undefined;
  onWidth: (width: number | undefined) => void;
  isPicking: boolean;
  onPick: (() => void) | undefined;
  /** Undefined where no browser is installed. */
  onScreenshot: (() => void) | undefined;
  isTaking: boolean;
  reports: number;
  isConsoleOpen: boolean;
  onConsole: () => void;
}

const WIDTHS = [
  { id: 'fit', label: 'Fit', width: undefined },
  { id: 'phone', label: 'Phone', width: 390 },
  { id: 'tablet', label: 'Tablet', width: 820 },
  { id: 'desktop', label: 'Desktop', width: 1280 },
] as const;

export function PreviewBar(props: PreviewBarProps) {
  const { address, onGo, onReload, width, onWidth, isPicking, onPick, onScreenshot, isTaking } = props;
  const { reports, isConsoleOpen, onConsole } = props;
  const current = WIDTHS.find((each) => each.width === width) ?? WIDTHS[0];
  return (
    <div className="preview-bar" role="toolbar" aria-label="Preview">
      <IconButton
        icon={RefreshCw}
        label="Reload preview"
        disabled={address === undefined}
        onClick={onReload}
      />
      <AddressField address={address} onGo={onGo} />
      <Menu
        label={`Preview width: ${current.label}`}
        title="Width"
        className="button preview-width"
        choices={WIDTHS.map((each) => ({
          id: each.id,
          label: each.label,
          ...(each.width === undefined ? {} : { detail: `${each.width} px` }),
          checked: each === current,
          onChoose: () => onWidth(each.width),
        }))}
      >
        {current.label}
      </Menu>
      {onPick ? (
        <IconButton
          icon={SquareDashedMousePointer}
          label="Pick an element"
          aria-pressed={isPicking}
          onClick={onPick}
        />
      ) : null}
      {onScreenshot ? (
        <IconButton
          icon={Camera}
          label={isTaking ? 'Taking a screenshot…' : 'Add screenshot to message'}
          disabled={isTaking}
          onClick={onScreenshot}
        />
      ) : null}
      <IconButton
        icon={SquareTerminal}
        label={reports === 0 ? 'Console' : `Console: ${plural(reports, 'message')}`}
        className="preview-console-button"
        data-count={reports === 0 ? undefined : Math.min(reports, 99)}
        aria-expanded={isConsoleOpen}
        onClick={onConsole}
      />
      {address === undefined ? null : (
        <a
          className="icon-button"
          aria-label="Open in a browser tab"
          title="Open in a browser tab"
          href={address}
          target="_blank"
          rel="noopener noreferrer"
        >
          <ExternalLink size={16} aria-hidden="true" />
        </a>
      )}
    </div>
  );
}

function AddressField({ address, onGo }: { address: string | undefined; onGo: (text: string) => boolean }) {
  /** The typed text; otherwise the field follows the frame. */
  const [typed, setTyped] = useState<string>();
  const [isRefused, setRefused] = useState(false);
  const shown = address === undefined ? '' : visibleText(address.replace(/^http:\/\//, ''));
  return (
    <form
      className="preview-address"
      onSubmit={(event) => {
        event.preventDefault();
        const isShown = onGo(typed ?? address ?? '');
        setRefused(!isShown);
        if (isShown) setTyped(undefined);
      }}
    >
      <input
        className="field"
        aria-label="Preview address"
        aria-invalid={isRefused}
        title={isRefused ? 'Only web servers on this machine, like localhost:5173' : undefined}
        placeholder="localhost:5173"
        spellCheck={false}
        autoComplete="off"
        value={typed ?? shown}
        onChange={(event) => {
          setTyped(event.target.value);
          setRefused(false);
        }}
        onBlur={() => !isRefused && setTyped(undefined)}
      />
    </form>
  );
}
