import { RequestPathView } from '../tool-results/RequestPathView.tsx';

/** The path outside of the allowed folders that made the agent ask. */
export function BlockedPath({ path }: { path: string | undefined }) {
  return path === undefined ? null : (
    <p className="request-reason" data-blocked-path>
      Not allowed yet: <RequestPathView path={path} />
    </p>
  );
}
