import type { Denial } from '@tugdeck/protocol/conversation/session-facts';
import { toolTitle } from './tool-display.ts';
import type { ResultLine } from './wire.ts';

const MOST = 50;

/** What was refused in the turn, by the titles of its tools. */
export function denials(list: ResultLine['permission_denials']): Denial[] {
  return (list ?? []).slice(0, MOST).map(({ tool_name, tool_use_id, tool_input }) => ({
    entry: tool_use_id,
    title: toolTitle(tool_name, tool_input),
  }));
}
