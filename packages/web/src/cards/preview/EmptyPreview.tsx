import type { AreaChannel } from '@tugdeck/client/areas';
import type { preview } from '@tugdeck/protocol/areas/preview';
import { seenAddresses, serverOf } from '../../kit/preview.ts';
import { useReply } from '../../kit/use-area.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';

export interface EmptyPreviewProps {
  project: string | undefined;
  channel: AreaChannel<typeof preview> | undefined;
  onGo: (address: string) => void;
}

const NOTHING = {};

/** Offers the addresses that programs printed, and the ports on which processes of the project listen. */
export function EmptyPreview({ project, channel, onGo }: EmptyPreviewProps) {
  const seen = useReadable(seenAddresses)[project ?? ''] ?? [];
  const { value } = useReply(channel, 'ports', NOTHING);
  const servers = seen.map(serverOf);
  const others = (value?.ports ?? []).filter(
    ({ port }) => !servers.some((server) => server.endsWith(`:${port}`)),
  );
  return (
    <div className="pane-empty preview-empty">
      <p>
        {seen.length + others.length === 0
          ? 'No web server of this project was found. Start one in a terminal, or enter its address.'
          : 'Choose a web server of this project, or enter an address.'}
      </p>
      <ul>
        {seen.map((address) => (
          <li key={address}>
            <Button onClick={() => onGo(address)}>{visibleText(serverOf(address))}</Button>
          </li>
        ))}
        {others.map(({ port, name }) => (
          <li key={port}>
            <Button onClick={() => onGo(`http://localhost:${port}/`)}>
              localhost:{port} · {visibleText(name)}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
