import type { PermissionEntry } from '@tugdeck/protocol/conversation/entries';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { keymap } from '../../../app/keys/keymap.ts';
import { Button } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { Menu } from '../../../ui/Menu.tsx';
import { useReadable } from '../../../ui/use-readable.ts';
import { visibleExact, visibleText } from '../../../ui/visible-text.ts';
import { TOOL_ICONS } from '../entries/tool-icons.ts';
import { DiffView } from '../results/DiffView.tsx';
import { FieldList } from '../results/FieldList.tsx';
import { JsonText } from '../results/JsonText.tsx';
import { useDirectory, withoutDirectory } from '../results/project-paths.ts';
import { shownFields } from '../results/shown-fields.ts';
import { DenyWithMessage } from './DenyWithMessage.tsx';
import { EditInput } from './EditInput.tsx';
import { optionAnswer, optionDetail, permissionChoices } from './permission-options.ts';
import { RequestFrame } from './RequestFrame.tsx';
import type { RequestAction } from './request-keys.ts';
import { useAnswer } from './use-answer.ts';

/** A permission that waits. Loaded when there is one. */
export function OpenPermission({ entry }: { entry: PermissionEntry }) {
  const { request } = entry;
  const directory = useDirectory();
  const { isFresh, isWaiting, fault, send } = useAnswer(entry);
  const [extra, setExtra] = useState<'message' | 'edit'>();
  const keys = useReadable(keymap);
  const { allow, deny, more } = permissionChoices(request.options);
  const allowOnce = () =>
    send({ type: 'permission', behavior: 'allow', ...(allow ? { option: allow.id } : {}) });
  const denyOnce = (message?: string, interrupt?: boolean) =>
    send({
      type: 'permission',
      behavior: 'deny',
      ...(deny ? { option: deny.id } : {}),
      ...(message ? { message } : {}),
      ...(interrupt ? { interrupt } : {}),
    });
  const onAction = (action: RequestAction, frame: HTMLElement) => {
    if (isWaiting) return;
    if (action === 'allow') allowOnce();
    else if (action === 'deny') denyOnce();
    else frame.querySelector<HTMLElement>('.always')?.click();
  };
  const hasNothingElse = request.fields.length === 0 && !request.diff?.length;
  return (
    <RequestFrame
      entry={entry}
      isFresh={isFresh}
      tone="warning"
      label={`Permission: ${visibleExact(request.tool)}`}
      onAction={onAction}
    >
      <div className="request-title">
        <Icon icon={TOOL_ICONS[request.toolKind]} />
        <span title={visibleExact(request.title)}>
          {visibleExact(withoutDirectory(request.title, directory))}
        </span>
      </div>
      <FieldList fields={shownFields(request.fields, request.diff)} isWhole />
      {request.diff?.length ? <DiffView files={request.diff} isWhole /> : null}
      {hasNothingElse && request.input !== undefined ? <JsonText value={request.input} /> : null}
      {request.reason ? <p className="request-reason">{visibleText(request.reason)}</p> : null}
      {extra === 'message' ? <DenyWithMessage isWaiting={isWaiting} onDeny={denyOnce} /> : null}
      {extra === 'edit' ? (
        <EditInput
          input={request.input}
          isWaiting={isWaiting}
          onAllow={(input) =>
            send({ type: 'permission', behavior: 'allow', input, ...(allow ? { option: allow.id } : {}) })
          }
        />
      ) : null}
      <div className="request-actions">
        <Button look="warning" hint={keys.get('request.allow')} disabled={isWaiting} onClick={allowOnce}>
          Allow
        </Button>
        <Button hint={keys.get('request.deny')} disabled={isWaiting} onClick={() => denyOnce()}>
          Deny
        </Button>
        {more.length > 0 ? (
          <Menu
            label="Allow always"
            className="button always"
            disabled={isWaiting}
            choices={more.map((option) => ({
              id: option.id,
              label: visibleExact(option.label),
              detail: optionDetail(option),
              onChoose: () => send(optionAnswer(option)),
            }))}
          >
            Allow always
            <Icon icon={ChevronDown} size={14} />
          </Menu>
        ) : null}
        <span className="request-space" />
        {request.canComment ? (
          <Button
            look="quiet"
            aria-expanded={extra === 'message'}
            onClick={() => setExtra(toggled(extra, 'message'))}
          >
            Say why not…
          </Button>
        ) : null}
        {request.canEdit ? (
          <Button
            look="quiet"
            aria-expanded={extra === 'edit'}
            onClick={() => setExtra(toggled(extra, 'edit'))}
          >
            Edit…
          </Button>
        ) : null}
      </div>
      {fault ? (
        <p className="fault" role="alert">
          {fault}
        </p>
      ) : null}
    </RequestFrame>
  );
}

function toggled<T>(current: T | undefined, wanted: T): T | undefined {
  return current === wanted ? undefined : wanted;
}
