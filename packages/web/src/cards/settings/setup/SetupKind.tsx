/** All items of one kind of an agent, by file, with their actions (A61). */
import type {
  SetupChange,
  SetupContent,
  SetupItem,
  SetupKind,
  SetupKindState,
} from '@tugdeck/protocol/areas/agent-setup';
import { useState } from 'react';
import { faultText } from '../../../kit/deck-actions.ts';
import { visibleExact, visiblePath, visibleText } from '../../../kit/visible-text.ts';
import { Button } from '../../../ui/Button.tsx';
import { CommandTest } from './CommandTest.tsx';
import { ServerTools } from './ServerTools.tsx';
import { SetupForm } from './SetupForm.tsx';
import { type Reviewed, type SetupChannel, SetupReview } from './SetupReview.tsx';
import { DECISION_TEXTS, itemLabel, KIND_TEXTS, SCOPE_TEXTS } from './setup-texts.ts';

interface SetupKindProps {
  agent: string;
  state: SetupKindState;
  channel: SetupChannel;
}

/** The item that is edited, or `new`. */
type Editing = { readonly item: SetupItem | undefined; readonly text: string | undefined };

export function SetupKindView({ agent, state, channel }: SetupKindProps) {
  const { kind, items } = state;
  const [editing, setEditing] = useState<Editing>();
  const [reviewed, setReviewed] = useState<Reviewed>();
  const [listed, setListed] = useState<SetupItem>();
  const [fault, setFault] = useState<string>();
  const attempt = (run: () => Promise<void>) => {
    setFault(undefined);
    void run().catch((error: unknown) => setFault(faultText(error)));
  };
  const review = (change: SetupChange) =>
    attempt(async () => setReviewed({ change, preview: await channel.call('preview', { change }) }));
  const edit = (item: SetupItem) =>
    attempt(async () => {
      const isFile = item.content === undefined;
      const { place, key } = item;
      setEditing({
        item,
        text: isFile ? (await channel.call('text', { agent, place, key })).text : undefined,
      });
    });
  const submit = (place: string, name: string | undefined, content: SetupContent) =>
    review({ type: 'set', agent, place, key: editing?.item?.key, name, content });
  const { title, one, none } = KIND_TEXTS[kind];
  const canAdd = state.places.some((place) => place.canAdd);
  return (
    <section className="setup-kind" aria-label={title}>
      <div className="setup-head">
        <h4>{title}</h4>
        {canAdd ? (
          <Button look="quiet" onClick={() => setEditing({ item: undefined, text: undefined })}>
            Add {one}
          </Button>
        ) : null}
      </div>
      {state.note === undefined ? null : <p className="settings-quiet">{state.note}</p>}
      {items.length === 0 ? <p className="settings-quiet">{none}</p> : null}
      <ul className="setup-items">
        {items.map((item) => (
          <li key={`${item.place} ${item.key}`} data-scope={item.scope}>
            <ItemRow
              item={item}
              kind={kind}
              onTools={() => setListed(item)}
              onEdit={() => edit(item)}
              onRemove={() => review({ type: 'set', agent, place: item.place, key: item.key, content: null })}
              onSwitch={(on) => review({ type: 'switch', agent, place: item.place, key: item.key, on })}
            />
            {editing?.item?.key === item.key && editing.item.place === item.place ? (
              <SetupForm
                state={state}
                item={item}
                text={editing.text}
                onSubmit={submit}
                onCancel={() => setEditing(undefined)}
              />
            ) : null}
          </li>
        ))}
      </ul>
      {editing && editing.item === undefined ? (
        <SetupForm
          state={state}
          item={undefined}
          text={undefined}
          onSubmit={submit}
          onCancel={() => setEditing(undefined)}
        />
      ) : null}
      {fault ? (
        <p className="fault" role="alert">
          {fault}
        </p>
      ) : null}
      {kind === 'rule' ? <CommandTest agent={agent} channel={channel} /> : null}
      {listed ? (
        <ServerTools agent={agent} item={listed} channel={channel} onClose={() => setListed(undefined)} />
      ) : null}
      {reviewed ? (
        <SetupReview
          {...reviewed}
          channel={channel}
          onClose={() => setReviewed(undefined)}
          onDone={() => {
            setReviewed(undefined);
            setEditing(undefined);
          }}
        />
      ) : null}
    </section>
  );
}

interface ItemRowProps {
  item: SetupItem;
  kind: SetupKind;
  onTools: () => void;
  onEdit: () => void;
  onRemove: () => void;
  onSwitch: (on: boolean) => void;
}

function ItemRow({ item, kind, onTools, onEdit, onRemove, onSwitch }: ItemRowProps) {
  const { name, summary, scope, file, status, on, canEdit, content } = item;
  const label = itemLabel(item, kind);
  const isHook = kind === 'hook';
  const isFile = content === undefined;
  const decision = content?.type === 'rule' ? DECISION_TEXTS[content.decision] : undefined;
  return (
    <div className="setup-item">
      <div className="setup-about">
        <span className="setup-name">
          {decision === undefined ? null : <span className="setup-decision">{decision}</span>}
          <span className="setup-title">
            <strong>{visibleText(name)}</strong>
            <span className="settings-tag" data-scope={scope}>
              {SCOPE_TEXTS[scope]}
            </span>
            {status === undefined ? null : <span className="settings-tag">{visibleText(status)}</span>}
          </span>
        </span>
        {summary === '' || decision !== undefined ? null : isFile ? (
          <span className="settings-quiet">{visibleText(summary)}</span>
        ) : (
          <code>{visibleExact(summary)}</code>
        )}
        <span className="settings-quiet setup-file">{visiblePath(file)}</span>
      </div>
      <div className="setup-actions">
        {kind === 'server' && item.runs !== undefined ? (
          <Button look="quiet" aria-label={`Tools of ${label}`} onClick={onTools}>
            Tools
          </Button>
        ) : null}
        {on === undefined ? null : (
          <label className="settings-check">
            <input
              type="checkbox"
              checked={on}
              aria-label={`${isHook ? 'Trust' : 'Use'} ${label}`}
              onChange={() => onSwitch(!on)}
            />
            <span>{isHook ? 'Trusted' : 'On'}</span>
          </label>
        )}
        {canEdit && content?.type !== 'name' ? (
          <Button look="quiet" aria-label={`Edit ${label}`} onClick={onEdit}>
            Edit
          </Button>
        ) : null}
        {canEdit ? (
          <Button look="quiet" aria-label={`Remove ${label}`} onClick={onRemove}>
            Remove
          </Button>
        ) : null}
      </div>
    </div>
  );
}
