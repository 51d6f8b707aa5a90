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
import { useDirectory } from '../results/project-paths.ts';
import { shownFields } from '../results/shown-fields.ts';
import { useWholeData } from '../results/use-whole-data.ts';
import { BlockedPath } from './BlockedPath.tsx';
import { DenyWithMessage } from './DenyWithMessage.tsx';
import { EditInput } from './EditInput.tsx';
import { optionAnswer, optionDetail, permissionChoices } from './permission-options.ts';
import { permissionTitle, rawParts, unlistedFields } from './permission-parts.ts';
import { RequestActions } from './RequestActions.tsx';
import { RequestFrame } from './RequestFrame.tsx';
import type { RequestAction } from './request-keys.ts';
import { useAnswer } from './use-answer.ts';

/** A permission that waits. Loaded when there is one. */
export function OpenPermission({ entry }: { entry: PermissionEntry }) {
  const { value: request, load, fault: loadFault } = useWholeData(entry.request, true);
  // What is not here yet has not been seen: it can be refused, not allowed.
  const isPartial = load !== undefined;
  const directory = useDirectory();
  const { guard, isWaiting, fault, send } = useAnswer(entry);
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
    if (action === 'deny') denyOnce();
    else if (isPartial) return;
    else if (action === 'allow') allowOnce();
    else if (!guard.isResting) frame.querySelector<HTMLElement>('.always')?.click();
  };
  const hasNothingElse = request.fields.length === 0 && !request.diff?.length;
  return (
    <RequestFrame
      entry={entry}
      guard={guard}
      tone="warning"
      label={`Permission: ${visibleExact(request.tool)}`}
      onAction={onAction}
    >
      <div className="request-title">
        <Icon icon={TOOL_ICONS[request.toolKind]} />
        <span>{permissionTitle(request, directory)}</span>
      </div>
      <FieldList fields={shownFields(request.fields, request.diff)} isWhole />
      {request.diff?.length ? <DiffView files={request.diff} isWhole /> : null}
      {hasNothingElse && request.input !== undefined ? <JsonText value={entry.request.input} /> : null}
      <BlockedPath path={request.blockedPath} />
      {request.reason ? <p className="request-reason">{visibleText(request.reason)}</p> : null}
      {extra === 'message' ? <DenyWithMessage isWaiting={isWaiting} onDeny={denyOnce} /> : null}
      {extra === 'edit' ? (
        <EditInput
          input={entry.request.input}
          isWaiting={isWaiting || isPartial}
          onAllow={(input) =>
            send({ type: 'permission', behavior: 'allow', input, ...(allow ? { option: allow.id } : {}) })
          }
        />
      ) : null}
      {load ? (
        <p className={loadFault ? 'fault' : 'result-note'}>
          {loadFault ?? 'Loading the rest of this request. You can allow it once all of it is here.'}{' '}
          {loadFault ? (
            <Button look="link" onClick={load}>
              Try again
            </Button>
          ) : null}
        </p>
      ) : null}
      <RequestActions guard={guard} raw={rawParts(entry.request)} unlisted={unlistedFields(request)}>
        <Button
          look="warning"
          hint={keys.get('request.allow')}
          disabled={isWaiting || isPartial}
          onClick={allowOnce}
        >
          Allow
        </Button>
        <Button hint={keys.get('request.deny')} disabled={isWaiting} onClick={() => denyOnce()}>
          Deny
        </Button>
        {more.length > 0 ? (
          <Menu
            label="Allow always"
            className="button always"
            disabled={isWaiting || isPartial}
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
      </RequestActions>
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
