/**
 * The last turn of a session file, from its last lines: whether it is complete, and which program sent its prompt.
 * Pure.
 */

import { recordOf, textAt } from '../kit/fields.ts';
import type { LastTurn } from '../kit/history.ts';
import { isExternal } from './history-files.ts';
import { parseLine, resultsOf } from './history-thread.ts';
import { isInterruptMarker } from './line-texts.ts';
import { plainText } from './wire.ts';

export function lastTurn(lines: readonly string[]): LastTurn | undefined {
  let found: LastTurn | undefined;
  for (const text of lines) {
    const line = parseLine(text);
    if (!line || line.isSidechain === true || line.isMeta === true) continue;
    if (line.type === 'assistant') {
      const reason = textAt(line.message, 'stop_reason');
      found = { ...found, isComplete: reason !== undefined && reason !== 'tool_use' };
    } else if (line.type === 'user') {
      const isPrompt = resultsOf(line).length === 0;
      if (isPrompt && isInterruptMarker(plainText(recordOf(line.message).content))) {
        found = { ...found, isComplete: true };
      } else if (isPrompt) {
        found = { isComplete: false, external: isExternal(line) ? textAt(line, 'uuid') : undefined };
      } else found = { ...found, isComplete: false };
    }
  }
  return found;
}
