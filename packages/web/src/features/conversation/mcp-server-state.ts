/** Describes the state of an MCP server and its possible actions. Pure. */
import type { McpServer } from '@tugdeck/protocol/conversation/session-info';
import { plural } from '../../kit/format.ts';

const LABELS: Readonly<Record<string, string>> = {
  connected: 'Connected',
  pending: 'Connecting',
  failed: 'Failed',
  'needs-auth': 'Sign-in needed',
  disabled: 'Off',
};

export function serverState({ status, tools }: McpServer): string {
  const word = Object.hasOwn(LABELS, status) ? LABELS[status] : status;
  return tools?.length ? `${word} · ${plural(tools.length, 'tool')}` : String(word);
}

export function isServerOn({ status }: McpServer): boolean {
  return status !== 'disabled';
}

export function canSignIn({ status }: McpServer): boolean {
  return status === 'needs-auth';
}
