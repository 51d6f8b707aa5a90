import { useDirectory } from '../conversation/project-paths.ts';
import { requestPath } from './request-path.ts';

/** A path in a request: in full, resolved, and marked if it is outside the project. */
export function RequestPathView({ path }: { path: string }) {
  const { text, isOutside, isIndirect } = requestPath(path, useDirectory());
  return (
    <span className="request-path">
      {text === '.' ? <span title={path}>Project folder</span> : <code className="field-code">{text}</code>}
      {isOutside ? <span className="path-outside">Outside the project</span> : null}
      {isIndirect ? (
        <span className="path-note">Contains “..”, so a symbolic link could lead to another file</span>
      ) : null}
    </span>
  );
}

/** The path outside of the allowed folders that made the agent ask. */
export function BlockedPath({ path }: { path: string | undefined }) {
  return path === undefined ? null : (
    <p className="request-reason" data-blocked-path>
      Not allowed yet: <RequestPathView path={path} />
    </p>
  );
}
