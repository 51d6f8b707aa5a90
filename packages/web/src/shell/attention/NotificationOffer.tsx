import { enableNotifications } from '../../features/attention/attention-settings.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { Button } from '../../ui/Button.tsx';
import { offeredFor } from './offer-notifications.ts';

/** “Notify me next time?”, after a long turn ended unseen. */
export function NotificationOffer() {
  const title = useReadable(offeredFor);
  if (title === undefined) return null;
  const close = () => offeredFor.set(undefined);
  const accept = () => {
    close();
    void enableNotifications(true);
  };
  return (
    <div className="undo-note notification-offer" role="status">
      <span>“{title}” finished while you were away. Get a notification next time?</span>
      <Button look="primary" onClick={accept}>
        Turn on
      </Button>
      <Button look="quiet" onClick={close}>
        Not now
      </Button>
    </div>
  );
}
