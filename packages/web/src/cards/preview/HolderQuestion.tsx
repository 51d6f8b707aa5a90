import { visibleExact } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import type { Held } from './use-preview.ts';

/** Names the process that holds a port, before anything of it is shown. */
export function HolderQuestion({ held: { port, holder }, onShow }: { held: Held; onShow: () => void }) {
  const { name, pid, directory } = holder;
  return (
    <div className="preview-question" role="alert">
      <h3>Port {port} belongs to another program</h3>
      <p>
        {pid === undefined ? (
          'A process of another user listens on it.'
        ) : (
          <>
            <code>{visibleExact(name ?? '')}</code> (process {pid})
            {directory === undefined ? null : (
              <>
                {' '}
                runs in <code>{visibleExact(directory)}</code>
              </>
            )}
            , not in this project.
          </>
        )}{' '}
        Show it only if you recognize it.
      </p>
      <Button onClick={onShow}>Show it</Button>
    </div>
  );
}
