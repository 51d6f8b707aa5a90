import type { LucideIcon } from 'lucide-react';

/** Always decoration: the name is said by what holds it. */
export function Icon({ icon: Drawing, size = 16 }: { icon: LucideIcon; size?: number }) {
  return <Drawing size={size} strokeWidth={1.75} aria-hidden="true" focusable="false" />;
}
