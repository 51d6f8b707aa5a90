import type { Delivery } from '@tugdeck/protocol/conversation/entries';

const LABELS: Readonly<Record<Delivery, string | undefined>> = {
  accepted: 'sending',
  sending: 'sending',
  delivered: undefined,
  doubted: 'delivered?',
  dropped: 'dropped',
  failed: 'not delivered',
};

/** The delivery status under a message; undefined once it is delivered. */
export function deliveryText(delivery: Delivery): string | undefined {
  return LABELS[delivery];
}
