import type { Delivery } from '@tugdeck/protocol/conversation/entries';

const LABELS: Readonly<Record<Delivery, string | undefined>> = {
  accepted: 'Sending',
  sending: 'Sending',
  delivered: undefined,
  doubted: 'May not have been delivered',
  dropped: 'Discarded',
  failed: 'Not delivered',
};

/** The delivery status under a message; undefined once it is delivered. */
export function deliveryText(delivery: Delivery): string | undefined {
  return LABELS[delivery];
}
