import { Button } from '../../../ui/Button.tsx';
import { visibleExact } from '../../../ui/visible-text.ts';
import { useWholeData } from './use-whole-data.ts';

/** Data in full and unfolded, for a request: what is allowed must be seen. */
export function JsonText({ value }: { value: unknown }) {
  const state = useWholeData(value, true);
  return (
    <>
      <pre className="plain">{visibleExact(JSON.stringify(state.value, null, 2) ?? 'nothing')}</pre>
      {state.fault && state.load ? (
        <p className="fault">
          {state.fault}{' '}
          <Button look="link" onClick={state.load}>
            Try again
          </Button>
        </p>
      ) : null}
    </>
  );
}
