import { AttentionChecks } from '../../features/attention/AttentionChecks.tsx';
import { THEME_LABELS, THEMES, theme } from '../../kit/theme.ts';
import { useReadable } from '../../kit/use-readable.ts';

/** Preferences of this browser: theme and notifications. */
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
      <AttentionChecks />
    </div>
  );
}
