import type { FileDocument } from '@tugdeck/protocol/files/document';
import { Button } from '../../ui/Button.tsx';
import { type FileSession, mergedText } from './file-session.ts';

export interface ConflictBarProps {
  session: FileSession;
  document: FileDocument;
  onClose: () => void;
}

/** Shown on a conflict. Both texts are kept until one of these is pressed. */
export function ConflictBar({ session, document, onClose }: ConflictBarProps) {
  const keep = () => {
    session.decide('mine');
    void session.save();
  };
  if (document.conflict?.theirs === undefined) {
    return (
      <div className="file-conflict" role="alert">
        <p>This file was deleted on disk. Your copy is still here.</p>
        <div className="file-conflict-choices">
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" onClick={keep}>
            Save again
          </Button>
        </div>
      </div>
    );
  }
  return (
    <div className="file-conflict" role="alert">
      <p>
        Another program changed this file while you were editing. Red is the version on disk, green is yours.
        Choose line by line below, or pick one version.
      </p>
      <div className="file-conflict-choices">
        <Button onClick={() => session.decide('theirs')}>Use version on disk</Button>
        {mergedText(document) === undefined ? null : (
          <Button onClick={() => session.merge()}>Keep both</Button>
        )}
        <Button look="primary" onClick={keep}>
          Save mine
        </Button>
      </div>
    </div>
  );
}
