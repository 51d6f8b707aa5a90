import { ACCENTS, accent, DENSITIES, density, TEXT_SIZES, textSize } from '../../kit/appearance.ts';
import type { Persisted } from '../../kit/persisted.ts';
import { THEME_LABELS, THEMES, theme } from '../../kit/theme.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { Segments } from '../../ui/Segments.tsx';
import { SettingRow } from './SettingRow.tsx';

/** Theme, accent, text size and density. They apply at once. */
export function Appearance() {
  return (
    <>
      <Choice label="Theme" setting={theme} values={THEMES} name={(value) => THEME_LABELS[value]} />
      <Choice
        label="Accent"
        hint="Links, focus and buttons. Amber always means that an agent needs you"
        setting={accent}
        values={ACCENTS}
        name={capital}
        sample={(value) => <span className="accent-sample" data-accent={value} aria-hidden="true" />}
      />
      <Choice label="Text size" setting={textSize} values={TEXT_SIZES} name={String} />
      <Choice
        label="Density"
        hint="Height of rows and bars"
        setting={density}
        values={DENSITIES}
        name={capital}
      />
    </>
  );
}

interface ChoiceProps<T> {
  label: string;
  hint?: string;
  setting: Persisted<T>;
  values: readonly T[];
  name: (value: T) => string;
  sample?: (value: T) => React.ReactNode;
}

function Choice<T extends string | number>({ label, hint, setting, values, name, sample }: ChoiceProps<T>) {
  return (
    <SettingRow label={label} hint={hint}>
      <Segments
        label={label}
        value={useReadable(setting)}
        choices={values.map((value) => ({ value, label: name(value), sample: sample?.(value) }))}
        onChange={setting.set}
      />
    </SettingRow>
  );
}

const capital = (word: string) => `${word[0]?.toUpperCase()}${word.slice(1)}`;
