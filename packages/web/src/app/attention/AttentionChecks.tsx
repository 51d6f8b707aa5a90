import { Check } from '../../ui/Check.tsx';
import { showFault } from '../undo.ts';
import { doNotDisturb, enableNotifications, notifications, sound } from './attention-settings.ts';
import { playSound } from './play-sound.ts';

const REFUSED =
  'The browser does not allow notifications from this page. Its settings for this site can change that.';

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
