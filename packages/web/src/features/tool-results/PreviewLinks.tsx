import type { LongText } from '@tugdeck/protocol/conversation/long-text';
import { findLocalAddresses } from '@tugdeck/protocol/preview/local-address';
import { useEffect, useMemo } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { placeOfSession } from '../../kit/place.ts';
import { canPreview, noteAddresses, serverOf, showPreview } from '../../kit/preview.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { useCard } from '../conversation/card-context.tsx';

/** A button for each local web address in a command's output (W7). */
export function PreviewLinks({ text }: { text: LongText }) {
  const { session } = useCard();
  const place = useSelected(useClient().deck, (deck) => placeOfSession(deck, session));
  // The rest of a long output is loaded on request only.
  const addresses = useMemo(
    () => (typeof text === 'string' && canPreview() ? findLocalAddresses(text) : []),
    [text],
  );
  useEffect(() => {
    if (place !== undefined) noteAddresses(place, addresses);
  }, [place, addresses]);
  if (addresses.length === 0 || place === undefined) return null;
  return (
    <p className="result-note">
      {addresses.map((address) => (
        <Button key={address} look="link" onClick={() => showPreview({ place, address, session })}>
          Preview {visibleText(serverOf(address))}
        </Button>
      ))}
    </p>
  );
}
