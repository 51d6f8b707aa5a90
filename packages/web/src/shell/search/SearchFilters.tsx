import type { Deck } from '@tugdeck/protocol/wire/deck';
import { type Filters, KIND_LABELS, SINCE } from './search-filters.ts';

export interface SearchFiltersProps {
  filters: Filters;
  deck: Deck | undefined;
  onChange: (filters: Filters) => void;
}

export function SearchFilters({ filters, deck, onChange }: SearchFiltersProps) {
  const set = (name: keyof Filters) => (value: string) => onChange({ ...filters, [name]: value });
  return (
    <div className="search-filters">
      <Choice
        label="Project"
        all="All projects"
        value={filters.project}
        choices={deck?.projects.map(({ id, name }) => ({ id, label: name })) ?? []}
        onChange={set('project')}
      />
      <Choice
        label="Agent"
        all="All agents"
        value={filters.agent}
        choices={deck?.agents.map(({ name, label }) => ({ id: name, label })) ?? []}
        onChange={set('agent')}
      />
      <Choice
        label="Kind"
        all="Everything"
        value={filters.kind}
        choices={Object.entries(KIND_LABELS).map(([id, label]) => ({ id, label }))}
        onChange={set('kind')}
      />
      <Choice label="Date" all="Any time" value={filters.since} choices={SINCE} onChange={set('since')} />
    </div>
  );
}

interface ChoiceProps {
  label: string;
  all: string;
  value: string;
  choices: readonly { readonly id: string; readonly label: string }[];
  onChange: (value: string) => void;
}

function Choice({ label, all, value, choices, onChange }: ChoiceProps) {
  return (
    <select
      className="field search-filter"
      aria-label={label}
      value={value}
      data-set={value !== ''}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{all}</option>
      {choices.map((choice) => (
        <option key={choice.id} value={choice.id}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}
