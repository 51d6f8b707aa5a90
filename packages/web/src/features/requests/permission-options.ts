/** Maps permission options to buttons, and answers to their text. Pure. */
import { answerSchema } from '@tugdeck/protocol/conversation/commands';
import type { PermissionOption, PermissionRequest } from '@tugdeck/protocol/conversation/entries';
import { visibleExact } from '../../kit/visible-text.ts';
import { changesOf } from './edit-changes.ts';

export interface PermissionChoices {
  readonly allow: PermissionOption | undefined;
  readonly deny: PermissionOption | undefined;
  /** All other options, with the agent's labels. */
  readonly more: readonly PermissionOption[];
}

export function permissionChoices(options: readonly PermissionOption[]): PermissionChoices {
  const allow = options.find(({ effect }) => effect === 'allow-once');
  const deny =
    options.find(({ effect }) => effect === 'reject-once') ??
    options.find(({ effect }) => effect === 'reject-always');
  return { allow, deny, more: options.filter((option) => option !== allow && option !== deny) };
}

/** The effect in our own words, because labels are the agent's: an option called “Deny” may allow. */
const EFFECTS: Readonly<Record<PermissionOption['effect'], string>> = {
  'allow-once': 'Allows once',
  'allow-always': 'Allows without asking again',
  'reject-once': 'Denies once',
  'reject-always': 'Denies without asking again',
};

/** "Effect · rule · file", as it would be saved; rule and file only if the label does not have them. */
export function optionDetail({ label, effect, rule, file }: PermissionOption): string {
  const isNew = (text: string | undefined) => text !== undefined && !label.includes(text);
  const parts = [EFFECTS[effect], isNew(rule) ? rule : undefined, isNew(file) ? `in ${file}` : undefined];
  return visibleExact(parts.filter((part) => part !== undefined).join(' · '));
}

export interface Decided {
  readonly outcome: string;
  readonly isRefused: boolean;
  readonly message?: string | undefined;
  /** How the input was edited before it was allowed. */
  readonly changes?: string;
}

export function decidedPermission(request: PermissionRequest): Decided {
  const parsed = answerSchema.safeParse(request.answer);
  if (!parsed.success || parsed.data.type !== 'permission') return { outcome: 'Answered', isRefused: false };
  const { behavior, option: id, input, message, interrupt } = parsed.data;
  const option = request.options.find((offered) => offered.id === id);
  const isAlways = option?.effect.endsWith('always') ?? false;
  const isRefused = behavior === 'deny';
  const canAlways = request.options.some(({ effect }) => effect === 'allow-always');
  const base = isRefused
    ? interrupt
      ? 'Denied and stopped'
      : 'Denied'
    : isAlways
      ? 'Always allowed'
      : canAlways && input === undefined
        ? 'Allowed once'
        : 'Allowed';
  return {
    outcome: input === undefined ? base : `${base} with changes`,
    isRefused,
    message,
    ...(input === undefined ? {} : { changes: changesOf(request.input, input) }),
  };
}

export interface PermissionOutcome {
  readonly text: string;
  readonly isRefused: boolean;
  /** The full line has more: an edit, or who answered. */
  readonly hasMore: boolean;
}

/** A settled request as a fact of its tool (D20): "allowed once", "denied: use pnpm". Undefined while it is open. */
export function permissionOutcome(request: PermissionRequest): PermissionOutcome | undefined {
  if (request.status === 'pending') return undefined;
  if (request.status !== 'answered') {
    return {
      text: request.status === 'stale' ? 'request expired' : 'request withdrawn',
      isRefused: false,
      hasMore: false,
    };
  }
  const { outcome, isRefused, message, changes } = decidedPermission(request);
  const text = outcome.toLowerCase();
  return {
    text: message ? `${text}: ${message}` : text,
    isRefused,
    hasMore: changes !== undefined || message !== undefined || request.answeredBy !== undefined,
  };
}
