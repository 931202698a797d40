import { useState } from 'react';
import { useWebhookEvents, type WebhookEvent } from '../../data/webhooks.ts';
import { CodeBlock } from '../../ui/data/code-block.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Checkbox } from '../../ui/form/field.tsx';

interface EventPickerProps {
  readonly value: readonly string[];
  readonly onChange: (events: readonly string[]) => void;
  readonly error: string | undefined;
}

const groupOf = (name: string): string => name.split('.')[0] as string;

/** Single events or whole groups (`backup.*`), with what each is for and a sample. */
export const EventPicker = ({ value, onChange, error }: EventPickerProps) => {
  const events = useWebhookEvents();
  const [sample, setSample] = useState<WebhookEvent>();
  if (events.error) return <ErrorNotice error={events.error} onRetry={() => void events.refetch()} />;
  if (!events.data) return <SkeletonText />;
  const groups = Object.entries(Object.groupBy(events.data, ({ name }) => groupOf(name)));
  const toggle = (name: string, isChosen: boolean): void =>
    onChange(isChosen ? [...value.filter((one) => one !== name), name] : value.filter((one) => one !== name));
  const toggleGroup = (group: string, isChosen: boolean): void => {
    const others = value.filter((one) => groupOf(one) !== group);
    onChange(isChosen ? [...others, `${group}.*`] : others);
  };
  const isAll = value.includes('*');
  return (
    <fieldset className="stack stack--medium">
      <legend className="field__label">Events</legend>
      <Checkbox
        label="All events, also future ones"
        checked={isAll}
        onChange={({ target }) => onChange(target.checked ? ['*'] : [])}
      />
      {!isAll &&
        groups.map(([group, members = []]) => {
          const isWhole = value.includes(`${group}.*`);
          return (
            <div key={group} className="stack stack--tight boxed">
              <Checkbox
                label={<strong>{`${group}.*`}</strong>}
                checked={isWhole}
                onChange={({ target }) => toggleGroup(group, target.checked)}
              />
              {members.map((event) => (
                <div key={event.name} className="webhooks__event">
                  <Checkbox
                    label={<code>{event.name}</code>}
                    hint={event.description}
                    checked={isWhole || value.includes(event.name)}
                    disabled={isWhole}
                    onChange={({ target }) => toggle(event.name, target.checked)}
                  />
                  <Button
                    size="small"
                    variant="quiet"
                    aria-expanded={sample === event}
                    aria-label={`Sample of ${event.name}`}
                    onClick={() => setSample(sample === event ? undefined : event)}
                  >
                    Sample
                  </Button>
                  {sample === event && (
                    <div className="webhooks__sample">
                      <CodeBlock label={`Sample of ${event.name}`} code={JSON.stringify(event.samples.standard, undefined, 2)} />
                    </div>
                  )}
                </div>
              ))}
            </div>
          );
        })}
      {error && <div className="field__error">{error}</div>}
    </fieldset>
  );
};
