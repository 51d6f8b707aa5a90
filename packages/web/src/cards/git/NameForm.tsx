/** A name field with a button, for branches, worktrees and stashes. */
import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';

export interface NameFormProps {
  readonly label: string;
  readonly placeholder: string;
  readonly action: string;
  readonly isDisabled?: boolean;
  /** Whether the name may be empty. */
  readonly isOptional?: boolean;
  /** Resolves with whether it succeeded; the field is then cleared. */
  readonly onName: (name: string) => Promise<boolean>;
}

export function NameForm({ label, placeholder, action, isDisabled, isOptional, onName }: NameFormProps) {
  const [name, setName] = useState('');
  const submit = async () => {
    if (await onName(name.trim())) setName('');
  };
  return (
    <form
      className="git-line"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <input
        className="field"
        aria-label={label}
        placeholder={placeholder}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" disabled={isDisabled === true || (isOptional !== true && name.trim() === '')}>
        {action}
      </Button>
    </form>
  );
}
