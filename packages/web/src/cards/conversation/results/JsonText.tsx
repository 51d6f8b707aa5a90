import { visibleText } from '../../../ui/visible-text.ts';

/** Data in full and unfolded, for a request: what is allowed must be seen. */
export function JsonText({ value }: { value: unknown }) {
  return <pre className="plain">{visibleText(JSON.stringify(value, null, 2) ?? 'nothing')}</pre>;
}
