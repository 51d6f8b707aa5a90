import { RequestPathView } from '../results/RequestPathView.tsx';

/** The path that made the agent ask: it lies where nothing is allowed yet. */
export function BlockedPath({ path }: { path: string | undefined }) {
  return path === undefined ? null : (
    <p className="request-reason" data-blocked-path>
      Not allowed yet: <RequestPathView path={path} />
    </p>
  );
}
