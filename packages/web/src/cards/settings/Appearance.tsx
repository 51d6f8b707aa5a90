import {
  doNotDisturb,
  notifications,
  sound,
  wantNotifications,
} from '../../app/attention/attention-settings.ts';
import type { Kept } from '../../app/kept.ts';
import { THEME_LABELS, THEMES, theme } from '../../app/theme.ts';
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
      <Choice
        label="Notifications when something waits for you"
        setting={notifications}
        onChange={(isOn) => void wantNotifications(isOn)}
      />
      <Choice label="A sound with it" setting={sound} onChange={(isOn) => sound.set(isOn)} />
      <Choice label="Do not disturb" setting={doNotDisturb} onChange={(isOn) => doNotDisturb.set(isOn)} />
    </div>
  );
}

interface ChoiceProps {
  label: string;
  setting: Kept<boolean>;
  onChange: (isOn: boolean) => void;
}

function Choice({ label, setting, onChange }: ChoiceProps) {
  const isOn = useReadable(setting);
  return (
    <label className="settings-check">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}
