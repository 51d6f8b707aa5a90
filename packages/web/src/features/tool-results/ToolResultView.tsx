import type { LongText } from '@tugdeck/protocol/conversation/long-text';
import type { ToolResult } from '@tugdeck/protocol/conversation/tool-result';
import { useImage } from '../attachments/use-image.ts';
import { useCard } from '../conversation/card-context.tsx';
import { FileResult } from './FileResult.tsx';
import { JsonTree } from './JsonTree.tsx';
import { LongTextView } from './LongTextView.tsx';
import { MatchesResult } from './MatchesResult.tsx';
import { TerminalResult } from './TerminalResult.tsx';

/** Renders a result by its type, never by its tool. */
export function ToolResultView({ result }: { result: ToolResult }) {
  switch (result.type) {
    case 'terminal':
      return <TerminalResult result={result} />;
    case 'file':
      return <FileResult path={result.path} text={result.text} startLine={result.startLine} />;
    case 'text':
    case 'agent':
      return result.text === '' ? (
        <p className="result-note">No result</p>
      ) : (
        <LongTextView text={result.text} />
      );
    case 'matches':
      return <MatchesResult files={result.files} text={result.text} />;
    case 'image':
      return <ImageResult mimeType={result.mimeType} data={result.data} />;
    case 'json':
      return <JsonTree value={result.value} />;
    default: {
      result satisfies never;
      return null;
    }
  }
}

const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);

function ImageResult({ mimeType, data }: { mimeType: string; data: LongText }) {
  if (!IMAGES.has(mimeType)) return <p className="result-note">Can’t preview this image format</p>;
  return <ShownImage mimeType={mimeType} data={data} />;
}

function ShownImage({ mimeType, data }: { mimeType: string; data: LongText }) {
  const { session } = useCard();
  const { url, fault } = useImage(session, { mimeType, data });
  if (fault !== undefined) return <p className="result-note">{fault}</p>;
  return url === undefined ? null : <img className="result-image" src={url} alt="Tool result" />;
}
