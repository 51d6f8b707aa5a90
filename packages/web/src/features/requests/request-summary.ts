import type { RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { visibleText } from '../../kit/visible-text.ts';
import { permissionTitle } from './permission-parts.ts';

/** A short description of a request. */
export function requestSummary(entry: RequestEntry, directory?: string): string {
  switch (entry.kind) {
    case 'permission':
      return permissionTitle(entry.request, directory);
    case 'question':
      return visibleText(entry.request.questions[0]?.text ?? 'Question');
    case 'plan':
      return 'Plan to approve';
    case 'form':
      return visibleText(entry.request.title);
    default: {
      entry satisfies never;
      return '';
    }
  }
}
