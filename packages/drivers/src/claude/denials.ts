import type { Denial } from '@tugdeck/protocol/conversation/session-info';
import { toolTitle } from './tool-display.ts';
import type { ResultLine } from './wire.ts';

const MAX_DENIALS = 50;

/** Denied tool uses of the turn, with the tools' titles. */
export function denials(list: ResultLine['permission_denials']): Denial[] {
  return (list ?? []).slice(0, MAX_DENIALS).map(({ tool_name, tool_use_id, tool_input }) => ({
    entry: tool_use_id,
    title: toolTitle(tool_name, tool_input),
  }));
}
