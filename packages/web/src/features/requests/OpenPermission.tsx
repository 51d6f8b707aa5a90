import type { PermissionEntry, PermissionOption } from '@tugdeck/protocol/conversation/entries';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { type Keymap, keymap } from '../../kit/keys/keymap.ts';
import { isLimited } from '../../kit/limited.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleExact } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { useDirectory } from '../conversation/project-paths.ts';
import { DiffView } from '../tool-results/DiffView.tsx';
import { FieldList } from '../tool-results/FieldList.tsx';
import { JsonText } from '../tool-results/JsonTree.tsx';
import { BlockedPath } from '../tool-results/RequestPathView.tsx';
import { shownFields } from '../tool-results/shown-fields.ts';
import { TOOL_ICONS } from '../tool-results/tool-icons.ts';
import { useWholeData } from '../tool-results/use-whole-data.ts';
import { EditInput } from './EditInput.tsx';
import { isSameInput } from './edit-changes.ts';
import { type Draft, draftOf, editedInput } from './edited-input.ts';
import { isLongProse, titleStart } from './long-prose.ts';
import { optionDetail, permissionChoices } from './permission-options.ts';
import { permissionHeading, rawParts, unlistedFields } from './permission-parts.ts';
import { DenyWithMessage, RequestActions } from './RequestActions.tsx';
import { RequestFrame } from './RequestFrame.tsx';
import { RequestProse } from './RequestProse.tsx';
import type { RequestAction } from './request-keys.ts';
import { useAnswer } from './use-answer.ts';
import './request-edit.css';

/** An open permission request. Loaded when there is one. */
export function OpenPermission({ entry }: { entry: PermissionEntry }) {
  const { value: request, load, fault: loadFault } = useWholeData(entry.request, true);
  // Input that is not loaded has not been seen: it can be denied, not allowed.
  const isPartial = load !== undefined;
  const directory = useDirectory();
  const { guard, isWaiting, fault, send } = useAnswer(entry);
  const [reason, setReason] = useState<string>();
  const [draft, setDraft] = useState<{ of: string; draft: Draft }>();
  const keys = useReadable(keymap);
  const isPlain = useReadable(isLimited);
  const { allow, deny, more } = permissionChoices(request.options);
  // An edit applies to the input that was shown; if the agent changed it since, the edit is dropped.
  const editing = draft?.of === request.shown && !isPartial ? draft.draft : undefined;
  const edited = editing ? editedInput(request.input, editing) : undefined;
  const isInvalid = edited?.isValid === false;
  const isEdited = edited?.isValid === true && !isSameInput(edited.value, request.input);
  const feedback = reason?.trim() ?? '';
  /** The message is sent with every answer that can carry it. */
  const answer = (option: PermissionOption | undefined, behavior: 'allow' | 'deny', interrupt = false) => {
    if (behavior === 'allow' && (isPartial || isInvalid)) return;
    send({
      type: 'permission',
      behavior,
      ...(option ? { option: option.id } : {}),
      ...(behavior === 'allow' && isEdited ? { input: edited.value } : {}),
      ...(behavior === 'deny' && feedback !== '' ? { message: feedback } : {}),
      ...(interrupt ? { interrupt } : {}),
    });
  };
  const allowOnce = () => answer(allow, 'allow');
  const denyOnce = (interrupt = false) => answer(deny, 'deny', interrupt);
  const onAction = (action: RequestAction, frame: HTMLElement) => {
    if (isWaiting) return;
    if (action === 'deny') denyOnce();
    else if (isPartial || isInvalid) return;
    else if (action === 'allow') allowOnce();
    else if (!guard.isResting) frame.querySelector<HTMLElement>('.always')?.click();
  };
  const title = permissionHeading(request, directory);
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
        <span>{isEdited ? `${visibleExact(request.tool)}, edited by you` : titleStart(title)}</span>
      </div>
      {editing ? (
        <EditInput
          input={request.input}
          draft={editing}
          onChange={(next) => setDraft({ of: request.shown, draft: next })}
        />
      ) : (
        <>
          {isLongProse(title) ? <RequestProse text={request.title} /> : null}
          <FieldList fields={shownFields(request.fields, request.diff)} isWhole />
          {request.diff?.length ? <DiffView files={request.diff} isWhole /> : null}
          {hasNothingElse && request.input !== undefined ? <JsonText value={entry.request.input} /> : null}
        </>
      )}
      <BlockedPath path={request.blockedPath} />
      {request.reason ? <RequestProse text={request.reason} /> : null}
      {reason === undefined ? null : (
        <DenyWithMessage reason={reason} isWaiting={isWaiting} onChange={setReason} onDeny={denyOnce} />
      )}
      {load ? (
        <p className={loadFault ? 'fault' : 'result-note'}>
          {loadFault ?? 'Loading the rest of this request. You can allow it when it’s complete.'}{' '}
          {loadFault ? (
            <Button look="link" onClick={load}>
              Try again
            </Button>
          ) : null}
        </p>
      ) : null}
      <RequestActions
        guard={guard}
        raw={rawParts(entry.request, isEdited)}
        unlisted={unlistedFields(request)}
      >
        <Button
          look="warning"
          hint={keys.get('request.allow')}
          title={keyTitle(keys, 'request.allow')}
          disabled={isWaiting || isPartial || isInvalid}
          onClick={allowOnce}
        >
          Allow
        </Button>
        <Button
          hint={keys.get('request.deny')}
          title={keyTitle(keys, 'request.deny')}
          disabled={isWaiting}
          onClick={() => denyOnce()}
        >
          Deny
        </Button>
        {more.length > 0 && !isPlain ? (
          <Menu
            label="Always allow"
            className="button always"
            disabled={isWaiting || isPartial || isInvalid}
            choices={more.map((option) => ({
              id: option.id,
              label: visibleExact(option.label),
              detail: optionDetail(option),
              onChoose: () => answer(option, option.effect.startsWith('allow') ? 'allow' : 'deny'),
            }))}
          >
            Always allow
            <Icon icon={ChevronDown} size={14} />
          </Menu>
        ) : null}
        <span className="request-space" />
        {request.canComment ? (
          <Button
            look="quiet"
            aria-expanded={reason !== undefined}
            onClick={() => setReason(reason === undefined ? '' : undefined)}
          >
            {feedback === '' ? 'Add feedback…' : 'Discard feedback'}
          </Button>
        ) : null}
        {request.canEdit && !isPlain ? (
          <Button
            look="quiet"
            aria-expanded={editing !== undefined}
            disabled={isPartial}
            onClick={() =>
              setDraft(editing ? undefined : { of: request.shown, draft: draftOf(request.input) })
            }
          >
            {isEdited || isInvalid ? 'Discard edit' : 'Edit…'}
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

/** The shortcut works only with the focus here; the title also names the key that moves it here. */
function keyTitle(keys: Keymap, id: string): string | undefined {
  const [key, next] = [keys.get(id), keys.get('request.next')];
  if (key === undefined) return undefined;
  return `${key} while this request is focused${next === undefined ? '' : ` (${next} focuses it)`}`;
}
