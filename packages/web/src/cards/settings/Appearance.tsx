import {
  doNotDisturb,
  notifications,
  sound,
  wantNotifications,
} from '../../app/attention/attention-settings.ts';
import { THEME_LABELS, THEMES, theme } from '../../app/theme.ts';
import { Check } from '../../ui/Check.tsx';
import { useReadable } from '../../ui/use-readable.ts';

/** What belongs to this browser and not to the file: its eyes and ears. */
export function Appearance() {
  const chosen = useReadable(theme);
  return (
    <div className="settings-rows">
      <label className="settings-row">
        <span>Theme</span>
        <select
          className="field"
          value={chosen}
          onChange={(event) => theme.set(THEMES.find((name) => name === event.target.value) ?? chosen)}
        >
          {THEMES.map((name) => (
            <option key={name} value={name}>
              {THEME_LABELS[name]}
            </option>
          ))}
        </select>
      </label>
      <Check
        label="Notifications when something waits for you"
        setting={notifications}
        onChange={(isOn) => void wantNotifications(isOn)}
      />
      <Check label="A sound with it" setting={sound} />
      <Check label="Do not disturb" setting={doNotDisturb} />
    </div>
  );
}
