import { visibleExact } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { useWholeData } from './use-whole-data.ts';

/** Complete, expanded JSON for a request: the user has to see what is allowed. */
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
