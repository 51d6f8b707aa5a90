import { Bookmark, File, Folder, SquareSlash } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Icon } from '../../../../ui/Icon.tsx';
import { MatchedText } from '../../../../ui/MatchedText.tsx';
import { type Offer, optionId } from './offers.ts';
import type { Completion } from './use-completion.ts';

const CATEGORY_LABELS = { local: 'Tugdeck', agent: 'Agent', skill: 'Skill', plugin: 'Plugin' } as const;
const ICONS = { prompt: Bookmark, command: SquareSlash, file: File, folder: Folder } as const;

export interface CompletionListProps {
  id: string;
  completion: Completion;
  onAccept: (offer: Offer) => void;
}

/**
 * The completion list above the composer. The focus stays in the text box; `aria-activedescendant` names the chosen
 * option.
 */
export function CompletionList({ id, completion, onAccept }: CompletionListProps) {
  const list = useRef<HTMLDivElement>(null);
  const { offers, chosen, token } = completion;
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={token.kind === 'command' ? 'Commands' : 'Files'}
      className="completion"
    >
      {offers.map((offer, at) => (
        <div
          key={offer.id}
          id={optionId(id, at)}
          role="option"
          tabIndex={-1}
          aria-selected={at === chosen}
          className="completion-row"
          // The click must not move the focus out of the text box.
          onMouseDown={(event) => {
            event.preventDefault();
            onAccept(offer);
          }}
          onMouseMove={() => at === chosen || completion.choose(at)}
        >
          <Icon icon={ICONS[offer.kind]} size={14} />
          <OfferLabel offer={offer} />
        </div>
      ))}
    </div>
  );
}

function OfferLabel({ offer }: { offer: Offer }) {
  const { label, at, hint, detail, kind, category } = offer;
  const name = label.lastIndexOf('/', label.length - 2) + 1;
  if (kind === 'command' || kind === 'prompt') {
    return (
      <>
        <span className="completion-name">
          <MatchedText text={label} at={at} />
        </span>
        {hint ? <span className="completion-hint truncate">{hint}</span> : null}
        {detail ? <span className="completion-detail truncate">{detail}</span> : null}
        {kind === 'prompt' ? <span className="completion-kind">Saved</span> : null}
        {category ? <span className="completion-kind">{CATEGORY_LABELS[category]}</span> : null}
      </>
    );
  }
  return (
    <>
      <span className="completion-name truncate">
        <MatchedText text={label.slice(name)} at={at.map((place) => place - name)} />
      </span>
      {name > 0 ? (
        <span className="completion-detail truncate">
          <MatchedText text={label.slice(0, name)} at={at} />
        </span>
      ) : null}
    </>
  );
}
