/**
 * Our modes: combinations of approval policy, sandbox, reviewer and collaboration mode. The ids are those of the ACP
 * adapter, so that earlier choices stay valid. Pure.
 */
import type { Choice } from '@tugdeck/protocol/conversation/session-info';
import { type Fields, textAt } from '../kit/fields.ts';

interface Mode extends Choice {
  readonly approvalPolicy: 'on-request' | 'never';
  readonly sandbox: 'read-only' | 'workspace-write' | 'danger-full-access';
  readonly reviewer: 'user' | 'auto_review';
  readonly collaboration: 'default' | 'plan';
}

export const MODES: readonly Mode[] = [
  {
    id: 'read-only',
    label: 'Read-only',
    description:
      'Reads freely and asks before it changes a file, runs a command that writes, or uses the network.',
    approvalPolicy: 'on-request',
    sandbox: 'read-only',
    reviewer: 'user',
    collaboration: 'default',
  },
  {
    id: 'workspace-write',
    label: 'Workspace access',
    description:
      'Changes files in the project without asking; asks before it writes elsewhere or uses the network.',
    approvalPolicy: 'on-request',
    sandbox: 'workspace-write',
    reviewer: 'user',
    collaboration: 'default',
  },
  {
    id: 'agent',
    label: 'Auto review',
    description: 'Like Workspace access, but a reviewing model answers the requests instead of you.',
    approvalPolicy: 'on-request',
    sandbox: 'workspace-write',
    reviewer: 'auto_review',
    collaboration: 'default',
  },
  {
    id: 'plan',
    label: 'Plan',
    description: 'Explores, asks and writes a plan, and changes nothing.',
    approvalPolicy: 'on-request',
    sandbox: 'read-only',
    reviewer: 'user',
    collaboration: 'plan',
  },
  {
    id: 'agent-full-access',
    label: 'Full access',
    description: 'Runs everything without asking or a sandbox. Only for a machine you can afford to lose.',
    dangerous: true,
    approvalPolicy: 'never',
    sandbox: 'danger-full-access',
    reviewer: 'user',
    collaboration: 'default',
  },
];

/** User settings that match no mode. */
export const CUSTOM = 'custom';

export function modeChoices(current: string | undefined, settings: Fields): Choice[] {
  const choices = MODES.map(({ id, label, description, dangerous }) => ({
    id,
    label,
    ...(description === undefined ? {} : { description }),
    ...(dangerous ? { dangerous } : {}),
  }));
  if (current !== CUSTOM) return choices;
  const { approval, sandbox } = settingsOf(settings);
  const description = `Uses Codex’s own configuration: approval ${approval}, sandbox ${sandbox}.`;
  return [...choices, { id: CUSTOM, label: 'As configured', description }];
}

const SANDBOXES: Readonly<Record<string, Mode['sandbox']>> = {
  readOnly: 'read-only',
  workspaceWrite: 'workspace-write',
  dangerFullAccess: 'danger-full-access',
};

function settingsOf(settings: Fields): { approval: string; sandbox: string; reviewer: string; way: string } {
  const { approvalPolicy } = settings;
  const type = textAt(settings.sandboxPolicy ?? settings.sandbox, 'type') ?? '';
  return {
    approval: typeof approvalPolicy === 'string' ? approvalPolicy : JSON.stringify(approvalPolicy ?? null),
    sandbox: SANDBOXES[type] ?? type,
    reviewer: textAt(settings, 'approvalsReviewer') ?? 'user',
    way: textAt(settings.collaborationMode, 'mode') ?? 'default',
  };
}

/** The mode that matches the settings, which come with a thread's start and with every change. */
export function modeOf(settings: Fields): string {
  const { approval, sandbox, reviewer, way } = settingsOf(settings);
  const mode = MODES.find(
    (one) =>
      one.approvalPolicy === approval &&
      one.sandbox === sandbox &&
      one.reviewer === reviewer &&
      one.collaboration === way,
  );
  return mode?.id ?? CUSTOM;
}

/** Settings for a new thread. Empty for custom settings, which come from the configuration. */
export function threadSettings(mode: string | undefined): Fields {
  const known = MODES.find(({ id }) => id === mode);
  if (!known) return {};
  return { approvalPolicy: known.approvalPolicy, approvalsReviewer: known.reviewer, sandbox: known.sandbox };
}

const POLICIES: Readonly<Record<Mode['sandbox'], string>> = {
  'read-only': 'readOnly',
  'workspace-write': 'workspaceWrite',
  'danger-full-access': 'dangerFullAccess',
};

/** Settings for a running thread; the collaboration mode must include the model. */
export function changedSettings(
  mode: string,
  model: string | undefined,
  effort: string | undefined,
): Fields | undefined {
  const known = MODES.find(({ id }) => id === mode);
  if (!known) return undefined;
  return {
    approvalPolicy: known.approvalPolicy,
    approvalsReviewer: known.reviewer,
    sandboxPolicy: { type: POLICIES[known.sandbox] },
    ...(model === undefined ? {} : { collaborationMode: collaboration(known.collaboration, model, effort) }),
  };
}

function collaboration(mode: Mode['collaboration'], model: string, effort: string | undefined): Fields {
  return { mode, settings: { model, reasoning_effort: effort ?? null, developer_instructions: null } };
}
