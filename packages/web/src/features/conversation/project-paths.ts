/** Display paths: relative inside the project, otherwise absolute. */
import { useSelected } from '../../kit/use-readable.ts';
import { visiblePath } from '../../kit/visible-text.ts';
import { useCard } from './card-context.tsx';

export function useDirectory(): string | undefined {
  const { channel } = useCard();
  return useSelected(channel.view, ({ conversation }) => conversation.facts.directory);
}

/** For display only: hidden characters in a name are made visible. */
export function relativePath(path: string, directory: string | undefined): string {
  return visiblePath(projectPath(path, directory));
}

export function projectPath(path: string, directory: string | undefined): string {
  if (!directory) return path;
  const root = directory.replace(/[\\/]+$/, '');
  if (path === root) return '.';
  const isInside = path.startsWith(root) && /^[\\/]/.test(path.slice(root.length));
  return isInside ? path.slice(root.length + 1) : path;
}

/** The same for paths inside a sentence or title, only where a path begins. */
export function withoutDirectory(text: string, directory: string | undefined): string {
  const root = directory?.replace(/[\\/]+$/, '');
  if (!root) return text;
  const [first = '', ...parts] = text.split(`${root}/`);
  return parts.reduce((all, part) => {
    const isBegun = all === '' || /[\s"'`(=:]$/.test(all);
    return isBegun && !/^(?:\.\.?\/|\/)/.test(part) ? all + part : `${all}${root}/${part}`;
  }, first);
}
