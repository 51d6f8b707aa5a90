import { showFault } from '../../kit/undo.ts';
import { Check } from '../../ui/Check.tsx';
import { doNotDisturb, enableNotifications, notifications, sound } from './attention-settings.ts';
import { playSound } from './play-sound.ts';

const REFUSED = 'Notifications are blocked. Allow them in your browser’s site settings.';

/** Notification settings, shown in the inbox and in the settings. */
export function AttentionChecks() {
  const notify = async (isWanted: boolean) => {
    if (!(await enableNotifications(isWanted)) && isWanted) showFault(REFUSED);
  };
  const setSound = (isWanted: boolean) => {
    sound.set(isWanted);
    if (isWanted) playSound();
  };
  return (
    <>
      <Check label="Notifications" setting={notifications} onChange={(isOn) => void notify(isOn)} />
      <Check label="Sound" setting={sound} onChange={setSound} />
      <Check label="Do not disturb" setting={doNotDisturb} />
    </>
  );
}
