import { type Conversation, turnState } from '@tugdeck/protocol/conversation/state';

/** The card's polite live region: one sentence when the state changes, never the streamed text (D9). */
export function Announcer({
  conversation,
  waitsFor,
}: {
  conversation: Conversation;
  waitsFor: string | undefined;
}) {
  const state = turnState(conversation);
  const last = conversation.turns.at(-1)?.endedBy;
  const agent = conversation.facts.agentLabel ?? 'The agent';
  const sentence = waitsFor
    ? `${agent} needs you: ${/[.?!]$/.test(waitsFor) ? waitsFor : `${waitsFor}.`}`
    : state !== 'idle'
      ? `${agent} is working.`
      : last === 'completed'
        ? `${agent} is done.`
        : last === undefined
          ? ''
          : 'The turn stopped before it was finished.';
  return (
    <div className="visually-hidden" aria-live="polite">
      {sentence}
    </div>
  );
}
