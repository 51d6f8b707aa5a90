import type { AgentOption, Choice } from '@tugdeck/protocol/conversation/session-info';

const ON_OFF = ['true', 'false'] as const;

/** The choices of an agent option. */
export function choicesOf({ kind, label, choices = [] }: AgentOption): readonly Choice[] {
  if (kind === 'select') return choices;
  return ON_OFF.map((id) => ({ id, label: `${label} ${id === 'true' ? 'on' : 'off'}` }));
}
