import type { PermissionEntry } from '@tugdeck/protocol/conversation/entries';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { visibleExact, visibleText } from '../../kit/visible-text.ts';
import { useDirectory } from '../conversation/project-paths.ts';
import { decidedPermission } from './permission-options.ts';
import { permissionTitle } from './permission-parts.ts';
import { SettledLine } from './SettledLine.tsx';

const OpenPermission = lazyComponent(() =>
  import('./OpenPermission.tsx').then((part) => part.OpenPermission),
);

export function PermissionView({ entry }: { entry: PermissionEntry }) {
  const { request } = entry;
  const directory = useDirectory();
  if (request.status === 'pending') return <OpenPermission entry={entry} />;
  const { words, isRefused, message, changes } = decidedPermission(request);
  const title = permissionTitle(request, directory);
  return (
    <SettledLine
      entry={entry}
      decided={words}
      isRefused={isRefused}
      about={message ? `${title} — “${visibleText(message)}”` : changes ? visibleExact(changes) : title}
    />
  );
}
