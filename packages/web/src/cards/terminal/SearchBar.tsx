import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { OpenTerminal } from '../../features/terminal/rendered-terminals.ts';
import { IconButton } from '../../ui/IconButton.tsx';

/** Finds text in the terminal, including its scrollback. */
export function SearchBar({ open, onClose }: { open: OpenTerminal; onClose: () => void }) {
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [isFound, setFound] = useState(true);
  useEffect(() => {
    box.current?.focus();
    open.connection.loadHistory();
  }, [open]);
  const find = (direction: 'next' | 'previous', wanted = text, isIncremental = false) =>
    setFound(open.screen.find(wanted, direction, isIncremental));
  return (
    <search className="terminal-search">
      <input
        ref={box}
        type="search"
        className="field"
        aria-label="Find in terminal"
        placeholder="Find"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          find('previous', event.target.value, true);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose();
          else if (event.key === 'Enter') find(event.shiftKey ? 'next' : 'previous');
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span className="terminal-search-note" role="status">
        {isFound ? '' : 'Not found'}
      </span>
      <IconButton icon={ChevronUp} label="Previous match" onClick={() => find('previous')} />
      <IconButton icon={ChevronDown} label="Next match" onClick={() => find('next')} />
      <IconButton icon={X} label="Close search" onClick={onClose} />
    </search>
  );
}
