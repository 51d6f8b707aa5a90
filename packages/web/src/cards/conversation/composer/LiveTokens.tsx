import { useCard } from '../../../features/conversation/card-context.tsx';
import { count } from '../../../kit/format.ts';
import { useNow } from '../../../kit/use-now.ts';
import { turnTokens } from './turn-tokens.ts';

/** The tokens written in this turn, counted while streaming. */
export function LiveTokens() {
  const { channel } = useCard();
  useNow('second');
  const tokens = turnTokens(channel.view.get().conversation);
  return tokens === 0 ? null : (
    <span className="activity-tokens" title="Estimated from the text so far">
      ~{count(tokens)} {tokens === 1 ? 'token' : 'tokens'}
    </span>
  );
}
