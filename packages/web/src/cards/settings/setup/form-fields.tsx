/** Fields of the setup forms. */

interface LineProps {
  label: string;
  name: string;
  value?: string | undefined;
  hint: string;
}

export function Line({ label, name, value, hint }: LineProps) {
  return (
    <label className="field-label">
      <span>{label}</span>
      <input
        className="field mono"
        name={name}
        defaultValue={value ?? ''}
        placeholder={hint}
        spellCheck={false}
        autoComplete="off"
      />
    </label>
  );
}

export function Area({ label, name, value, rows, hint }: LineProps & { rows: number }) {
  return (
    <label className="field-label">
      <span>{label}</span>
      <textarea
        className="field mono"
        name={name}
        rows={rows}
        defaultValue={value}
        placeholder={hint}
        spellCheck={false}
      />
    </label>
  );
}

interface ChoiceProps {
  label: string;
  name: string;
  value: string;
  choices: readonly (readonly [value: string, text: string])[];
}

export function Choice({ label, name, value, choices }: ChoiceProps) {
  return (
    <label className="field-label">
      <span>{label}</span>
      <select className="field" name={name} defaultValue={value}>
        {choices.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
