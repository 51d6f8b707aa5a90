import { visibleExact, visibleText } from '../../kit/visible-text.ts';
import type { ToolTitle } from './tool-title.ts';

export function ToolTitleText({ title }: { title: ToolTitle }) {
  return (
    <span className="tool-title truncate" title={visibleText(title.full)}>
      {visibleText(title.verb)}
      {title.object === undefined ? null : (
        <>
          {' '}
          {title.isCode ? (
            <code className="tool-object">{visibleExact(title.object)}</code>
          ) : (
            visibleText(title.object)
          )}
        </>
      )}
    </span>
  );
}
