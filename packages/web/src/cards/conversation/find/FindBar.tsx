import { useCard } from '../../../features/conversation/card-context.tsx';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { useReadable } from '../../../kit/use-readable.ts';

const OpenFindBar = lazyComponent(() => import('./OpenFindBar.tsx').then((part) => part.OpenFindBar));

export function FindBar() {
  const { reading } = useCard();
  return useReadable(reading.isFinding) ? <OpenFindBar /> : null;
}
