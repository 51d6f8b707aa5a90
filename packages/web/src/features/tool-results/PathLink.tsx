import { visiblePath } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { relativePath, useDirectory } from '../conversation/project-paths.ts';
import { useOpenBeside } from './open-beside.ts';

/** A path that opens its file, if it is inside the project. */
export function PathLink({ path, line }: { path: string; line?: number }) {
  const directory = useDirectory();
  const open = useOpenBeside().file(path, line);
  const name = relativePath(path, directory);
  return open ? (
    <Button look="link" className="path-link truncate" title={visiblePath(path)} onClick={open}>
      {name}
    </Button>
  ) : (
    <span className="truncate" title={visiblePath(path)}>
      {name}
    </span>
  );
}
