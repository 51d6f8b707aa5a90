import { Ellipsis } from 'lucide-react';
import type { Group } from '../../kit/layout/layout.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { type GroupFacts, groupActions } from './group-actions.ts';

export function GroupMenu({ group, ...facts }: GroupFacts & { group: Group }) {
  return (
    <Menu
      label="Panel actions"
      title="Panel actions: split, float, close"
      className="icon-button strip-more"
      choices={groupActions(group, facts)}
    >
      <Icon icon={Ellipsis} />
    </Menu>
  );
}
