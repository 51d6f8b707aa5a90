/** Every agent whose own session files we can read (A40), in one list. The reader takes its sources from it. */
import { claudeHistory } from './claude/history-source.ts';
import { codexHistory } from './codex/history-source.ts';
import type { HistorySource } from './kit/history.ts';

export const HISTORIES: readonly HistorySource[] = [claudeHistory, codexHistory];
