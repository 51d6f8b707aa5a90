/** The base of the review: the start of the session, a turn, two turns, or a branch. */
import type { ReviewScope, ReviewTurn } from '@tugdeck/protocol/review/review-messages';
import { ChevronDown } from 'lucide-react';
import type { MenuChoice } from '../../kit/offered-actions.ts';
import { visibleExact } from '../../kit/visible-text.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';

/** Maximum number of turns and branches in the menu. */
const MAX_CHOICES = 20;

export interface ScopeMenuProps {
  scope: ReviewScope;
  turns: readonly ReviewTurn[];
  branches: readonly string[];
  onChoose: (scope: ReviewScope) => void;
}

export function ScopeMenu({ scope, turns, branches, onChoose }: ScopeMenuProps) {
  const choices: MenuChoice[] = [
    {
      id: 'session',
      label: 'All session changes',
      checked: scope.since === 'session',
      onChoose: () => onChoose({ since: 'session' }),
    },
    ...turns
      .map((turn, index) => ({ turn, number: index + 1 }))
      .slice(-MAX_CHOICES)
      .reverse()
      .map(({ turn, number }) => ({
        id: `turn ${turn.turn}`,
        label: `Since turn ${number}`,
        detail: turn.skipped ?? timeOf(turn.at),
        checked: scope.since === 'turn' && scope.turn === turn.turn,
        onChoose: () => onChoose({ since: 'turn', turn: turn.turn }),
      })),
    ...(scope.since === 'between' || scope.since === 'attempt'
      ? [{ id: 'between', label: scopeText(scope, turns), checked: true, onChoose: () => undefined }]
      : []),
    ...branches.slice(0, MAX_CHOICES).map((branch) => ({
      id: `branch ${branch}`,
      label: `Against ${visibleExact(branch)}`,
      checked: scope.since === 'branch' && scope.branch === branch,
      onChoose: () => onChoose({ since: 'branch', branch }),
    })),
  ];
  return (
    <Menu label={`Compare: ${scopeText(scope, turns)}`} choices={choices} className="button review-scope">
      <span className="truncate">{scopeText(scope, turns)}</span>
      <Icon icon={ChevronDown} size={14} />
    </Menu>
  );
}

function scopeText(scope: ReviewScope, turns: readonly ReviewTurn[]): string {
  switch (scope.since) {
    case 'session':
      return 'All session changes';
    case 'turn':
      return `Since turn ${numberOf(turns, scope.turn)}`;
    case 'between':
      return `Before turn ${numberOf(turns, scope.turn)} to before turn ${numberOf(turns, scope.until)}`;
    case 'attempt':
      return scope.other === undefined ? 'Against the common commit' : 'Against another attempt';
    case 'branch':
      return `Against ${visibleExact(scope.branch)}`;
  }
}

function numberOf(turns: readonly ReviewTurn[], id: string): number {
  return turns.findIndex(({ turn }) => turn === id) + 1;
}

function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}
