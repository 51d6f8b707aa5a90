import type { LucideIcon } from 'lucide-react';

/** Decorative: the container has the accessible name. */
export function Icon({ icon: Drawing, size = 16 }: { icon: LucideIcon; size?: number }) {
  return <Drawing size={size} strokeWidth={1.75} aria-hidden="true" focusable="false" />;
}
