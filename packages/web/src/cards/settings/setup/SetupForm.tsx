/** The form of one item: a server, a rule, a hook, a file or a name (A61). */
import type {
  SetupContent,
  SetupItem,
  SetupKindState,
  SetupPlace,
} from '@tugdeck/protocol/areas/agent-setup';
import { type FormEvent, useState } from 'react';
import { visiblePath, visibleText } from '../../../kit/visible-text.ts';
import { Button } from '../../../ui/Button.tsx';
import { contentOf, type FormValues } from './form-content.ts';
import { Area, Choice, Line } from './form-fields.tsx';
import { DECISION_TEXTS, SCOPE_TEXTS } from './setup-texts.ts';

interface SetupFormProps {
  state: SetupKindState;
  /** Undefined: a new item. */
  item: SetupItem | undefined;
  /** Text of an item that is a file. */
  text: string | undefined;
  onSubmit: (place: string, name: string | undefined, content: SetupContent) => void;
  onCancel: () => void;
}

export function SetupForm({ state, item, text, onSubmit, onCancel }: SetupFormProps) {
  const places = state.places.filter(({ id, canAdd }) => (item ? id === item.place : canAdd));
  const [placeId, setPlace] = useState(places[0]?.id);
  const [problem, setProblem] = useState<string>();
  const place = places.find(({ id }) => id === placeId) ?? places[0];
  if (!place) return null;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values: FormValues = new Map(
      [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]),
    );
    const content = contentOf(place.type, values, item?.content);
    if (typeof content === 'string') setProblem(content);
    else onSubmit(place.id, values.get('name')?.trim() || item?.name, content);
  };
  return (
    <form
      className="settings-form"
      onSubmit={submit}
      aria-label={item ? `Edit ${visibleText(item.name)}` : 'New'}
    >
      {item ? null : (
        <label className="field-label">
          <span>Scope</span>
          <select className="field" value={place.id} onChange={(event) => setPlace(event.target.value)}>
            {places.map(({ id, scope, file }) => (
              <option key={id} value={id}>
                {SCOPE_TEXTS[scope]}: {visiblePath(file)}
              </option>
            ))}
          </select>
        </label>
      )}
      <Fields key={place.id} place={place} state={state} item={item} text={text} />
      {problem ? (
        <p className="fault" role="alert">
          {problem}
        </p>
      ) : null}
      <div className="dialog-actions">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary">
          Preview
        </Button>
      </div>
    </form>
  );
}

interface FieldsProps {
  place: SetupPlace;
  state: SetupKindState;
  item: SetupItem | undefined;
  text: string | undefined;
}

function Fields({ place, state, item, text }: FieldsProps) {
  const content = item?.content;
  switch (place.type) {
    case 'server':
      return <ServerFields item={item} content={content?.type === 'server' ? content : undefined} />;
    case 'rule': {
      const rule = content?.type === 'rule' ? content : undefined;
      return (
        <>
          <Choice
            label="Decision"
            name="decision"
            value={rule?.decision ?? 'allow'}
            choices={Object.entries(DECISION_TEXTS)}
          />
          <Line label="Rule" name="rule" value={rule?.text} hint="In the agent’s own syntax" />
        </>
      );
    }
    case 'hook': {
      const hook = content?.type === 'hook' ? content : undefined;
      const events = [...new Set([...(hook ? [hook.event] : []), ...(state.events ?? [])])];
      return (
        <>
          <Choice
            label="Event"
            name="event"
            value={hook?.event ?? events[0] ?? ''}
            choices={events.map((one) => [one, one])}
          />
          <Line label="Matcher" name="matcher" value={hook?.matcher} hint="Leave empty to match everything" />
          <Area
            label="Command"
            name="command"
            value={hook?.command}
            rows={2}
            hint="Runs as you, on this machine"
          />
        </>
      );
    }
    case 'name':
      return <Line label="Name" name="name" value={item?.name} hint="" />;
    default:
      return (
        <>
          {item || state.kind === 'memory' ? null : <Line label="Name" name="name" hint="" />}
          <Area
            label="Text"
            name="text"
            value={text ?? ''}
            rows={14}
            hint="Leave empty to start with a template"
          />
        </>
      );
  }
}

type Server = Extract<SetupContent, { type: 'server' }>;

function ServerFields({ item, content }: { item: SetupItem | undefined; content: Server | undefined }) {
  const [isRemote, setRemote] = useState(content?.url !== undefined);
  const variables = Object.entries(content?.variables ?? {}).map(([name, value]) => `${name}=${value}`);
  return (
    <>
      <Line label="Name" name="name" value={item?.name} hint="" />
      <label className="field-label">
        <span>Type</span>
        <select
          className="field"
          name="way"
          value={isRemote ? 'url' : 'program'}
          onChange={(event) => setRemote(event.target.value === 'url')}
        >
          <option value="program">Program</option>
          <option value="url">URL</option>
        </select>
      </label>
      {isRemote ? (
        <>
          <Line label="URL" name="url" value={content?.url} hint="https://" />
          <Choice
            label="Transport"
            name="transport"
            value={content?.transport ?? 'http'}
            choices={[
              ['http', 'HTTP'],
              ['sse', 'SSE'],
            ]}
          />
        </>
      ) : (
        <>
          <Line label="Command" name="command" value={content?.command} hint="Runs as you, on this machine" />
          <Area
            label="Arguments"
            name="args"
            value={(content?.args ?? []).join('\n')}
            rows={2}
            hint="One per line"
          />
        </>
      )}
      <Area
        key={String(isRemote)}
        label={isRemote ? 'Headers' : 'Environment'}
        name="variables"
        value={variables.join('\n')}
        rows={2}
        hint="NAME=value, one per line"
      />
    </>
  );
}
