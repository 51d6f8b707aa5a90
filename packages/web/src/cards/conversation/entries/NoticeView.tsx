import type { NoticeEntry } from '@tugdeck/protocol/conversation/entries';
import { useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { exactTime } from '../../../ui/words.ts';
import { LongTextView } from '../results/LongTextView.tsx';

export function NoticeView({ entry }: { entry: NoticeEntry }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <div className="notice" data-level={entry.level} title={exactTime(entry.at)}>
        <span className="notice-text">{entry.text}</span>
        {entry.detail === undefined ? null : (
          <Button look="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'less' : 'more'}
          </Button>
        )}
      </div>
      {isOpen && entry.detail !== undefined ? <LongTextView text={entry.detail} /> : null}
    </>
  );
}
