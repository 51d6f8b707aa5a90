/**
 * The possible answers to each kind of permission. The agent lists fewer decisions than it accepts: declining without
 * ending the turn and allowing for the session always work, so they are always offered. Pure.
 */
import type { PermissionOption } from '@tugdeck/protocol/conversation/entries';
import { commandLine } from '../kit/command-line.ts';
import { type Fields, listOf, recordOf, textAt } from '../kit/fields.ts';

export const RULE = 'acceptWithExecpolicyAmendment';
export const NETWORK = 'applyNetworkPolicyAmendment';

const ACCEPT: PermissionOption = { id: 'accept', label: 'Allow', effect: 'allow-once' };
const DECLINE: PermissionOption = { id: 'decline', label: 'Deny', effect: 'reject-once' };
const CANCEL: PermissionOption = { id: 'cancel', label: 'Deny and stop', effect: 'reject-once' };

export function commandOptions(params: Fields): PermissionOption[] {
  const argv = amendmentOf(params);
  const host = textAt(params.networkApprovalContext, 'host');
  return [
    ACCEPT,
    {
      id: 'acceptForSession',
      label: 'Allow for this session',
      effect: 'allow-always',
      // Codex then allows the host, whichever command asks for it.
      rule: host === undefined ? (textAt(params, 'command') ?? 'this command') : `connections to ${host}`,
    },
    ...(argv.length === 0
      ? []
      : [
          {
            id: RULE,
            label: 'Always allow',
            effect: 'allow-always' as const,
            rule: `${commandLine(argv)} …`,
            file: '~/.codex/rules',
          },
        ]),
    ...networkAmendments(params).map((amendment, index) => {
      const allows = textAt(amendment, 'action') !== 'deny';
      return {
        id: `${NETWORK}:${index}`,
        label: `${allows ? 'Allow' : 'Deny'} ${textAt(amendment, 'host') ?? 'this host'} always`,
        effect: allows ? ('allow-always' as const) : ('reject-always' as const),
        rule: JSON.stringify(amendment),
      };
    }),
    DECLINE,
    CANCEL,
  ];
}

/** The command prefix of the proposed rule: in a separate field, or only in the decisions. */
export function amendmentOf(params: Fields): readonly unknown[] {
  const own = listOf(params.proposedExecpolicyAmendment);
  if (own.length > 0) return own;
  for (const decision of listOf(params.availableDecisions)) {
    const argv = listOf(recordOf(recordOf(decision)[RULE]).execpolicy_amendment);
    if (argv.length > 0) return argv;
  }
  return [];
}

export function networkAmendments(params: Fields): readonly unknown[] {
  return listOf(params.proposedNetworkPolicyAmendments);
}

export function editOptions(params: Fields): PermissionOption[] {
  const root = textAt(params, 'grantRoot');
  const rule = root === undefined ? 'edits of these files' : `edits below ${root}`;
  const session: PermissionOption = {
    id: 'acceptForSession',
    label: 'Allow for this session',
    effect: 'allow-always',
    rule,
  };
  return [ACCEPT, session, DECLINE, CANCEL];
}

export function grantOptions(): PermissionOption[] {
  return [
    { id: 'turn', label: 'Grant for this turn', effect: 'allow-once' },
    { id: 'session', label: 'Grant for this session', effect: 'allow-always' },
    { id: 'decline', label: 'Deny', effect: 'reject-once' },
  ];
}

const PERSISTED: Readonly<Record<string, string>> = {
  session: 'Allow for this session',
  always: 'Always allow',
};

export function toolOptions(meta: Fields): PermissionOption[] {
  const kept = listOf(meta.persist).filter((how) => typeof how === 'string');
  return [
    ACCEPT,
    ...kept.map(
      (how): PermissionOption => ({
        id: `persist:${how}`,
        label: PERSISTED[how] ?? `Allow (${how})`,
        effect: 'allow-always',
        rule: 'this tool',
      }),
    ),
    DECLINE,
    CANCEL,
  ];
}
