import { Check } from '../../ui/Check.tsx';
import { tellFault } from '../undo.ts';
import { doNotDisturb, notifications, sound, wantNotifications } from './attention-settings.ts';
import { play } from './play.ts';

const REFUSED =
  'The browser does not allow notifications from this page. Its settings for this site can change that.';

/** How the user wants to be called, in the inbox and in the settings. */
export function AttentionChecks() {
  const notify = async (isWanted: boolean) => {
    if (!(await wantNotifications(isWanted)) && isWanted) tellFault(REFUSED);
  };
  const hear = (isWanted: boolean) => {
    sound.set(isWanted);
    if (isWanted) play();
  };
  return (
    <>
      <Check label="Notifications" setting={notifications} onChange={(isOn) => void notify(isOn)} />
      <Check label="Sound" setting={sound} onChange={hear} />
      <Check label="Do not disturb" setting={doNotDisturb} />
    </>
  );
}
