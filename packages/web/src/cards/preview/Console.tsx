import { visibleExact } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import type { Report } from './use-preview.ts';

/** Errors and warnings of the previewed app. */
export function Console({ reports, onClear }: { reports: readonly Report[]; onClear: () => void }) {
  return (
    <section className="preview-console" aria-label="Console">
      <header>
        <h3>Console</h3>
        <Button look="quiet" disabled={reports.length === 0} onClick={onClear}>
          Clear
        </Button>
      </header>
      {reports.length === 0 ? <p className="pane-note">No errors or warnings</p> : null}
      <ol>
        {reports.map(({ id, level, text }) => (
          <li key={id} data-level={level}>
            {visibleExact(text)}
          </li>
        ))}
      </ol>
    </section>
  );
}
