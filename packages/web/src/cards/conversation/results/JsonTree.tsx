import { CutLines } from './CutLines.tsx';

/** Any data, indented. */
export function JsonTree({ value }: { value: unknown }) {
  const lines = (JSON.stringify(value, null, 2) ?? 'nothing').split('\n');
  return (
    <CutLines total={lines.length}>
      {(shown) => <pre className="plain">{lines.slice(0, shown).join('\n')}</pre>}
    </CutLines>
  );
}
