/** One line to type a name in and a button to act on it: branches, work trees, stashes. Owns what is typed. */
import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';

export interface NameFormProps {
  readonly label: string;
  readonly placeholder: string;
  readonly action: string;
  readonly isDisabled?: boolean;
  /** Whether nothing typed is a name, too. */
  readonly isOptional?: boolean;
  /** Whether it was done: then the line is empty again. */
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
