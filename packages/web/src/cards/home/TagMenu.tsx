import { ChevronDown } from 'lucide-react';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';

export interface TagMenuProps {
  /** All tags in use; without any, nothing is drawn. */
  known: readonly string[];
  tag: string | undefined;
  onChoose: (tag: string | undefined) => void;
}

/** Shows only the sessions with one tag. */
export function TagMenu({ known, tag, onChoose }: TagMenuProps) {
  if (known.length === 0) return null;
  const all = { id: 'all', label: 'All', checked: tag === undefined, onChoose: () => onChoose(undefined) };
  const chosen = tag === undefined ? 'All' : `#${tag}`;
  return (
    <Menu
      label={`Tag: ${chosen}`}
      choices={[
        all,
        ...known.map((each) => ({
          id: `tag-${each}`,
          label: `#${each}`,
          checked: tag === each,
          onChoose: () => onChoose(each),
        })),
      ]}
    >
      <span className="truncate">Tag: {chosen}</span>
      <Icon icon={ChevronDown} size={14} />
    </Menu>
  );
}
