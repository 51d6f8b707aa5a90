import { groupByKind } from '@tugdeck/protocol/trust/config-summary';
import type { ConfigItem } from '@tugdeck/protocol/trust/project-config';
import { visibleExact, visiblePath } from '../../kit/visible-text.ts';

const CHANGES = { added: 'Added', changed: 'Changed', removed: 'Removed' } as const;

export interface ConfigListProps {
  items: readonly ConfigItem[];
  /** The user trusted an earlier version, so the changes come first. */
  isChanged: boolean;
}

/** All configuration found: items that run a program first, with their command. Nothing is omitted. */
export function ConfigList({ items, isChanged }: ConfigListProps) {
  const changed = items.filter(({ change }) => change !== undefined);
  const same = items.filter(({ change }) => change === undefined);
  return (
    <section
      className="trust-list"
      aria-label="Project configuration"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable to scroll it by keys
      tabIndex={0}
    >
      {items.length === 0 ? (
        <p className="muted">
          No configuration found. The agent may still read files that Tugdeck doesn’t know about.
        </p>
      ) : null}
      <Groups items={changed} />
      {isChanged && same.length > 0 ? <h3 className="trust-same">Unchanged</h3> : null}
      <Groups items={same} />
    </section>
  );
}

function Groups({ items }: { items: readonly ConfigItem[] }) {
  return groupByKind(items).map(({ kind, title, items: own }) => (
    <section key={kind}>
      <h3>{title}</h3>
      <ul>
        {own.map(({ path, text, change, before }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two items may look the same, and none moves
          <li key={index} data-change={change}>
            {change ? <span className="trust-change">{CHANGES[change]}</span> : null}
            <span className="trust-text">
              {text === '' ? null : <code>{visibleExact(text)}</code>}
              {before === undefined ? null : <del>{visibleExact(before)}</del>}
            </span>
            <span className="muted">{visiblePath(path)}</span>
          </li>
        ))}
      </ul>
    </section>
  ));
}
