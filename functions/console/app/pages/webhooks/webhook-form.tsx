import { type FormEvent, useId, useState } from 'react';
import { webhookFormats } from '../../../../../shared/contract/models/webhook-enums.ts';
import { useCreateWebhook, useUpdateWebhook, type Webhook } from '../../data/webhooks.ts';
import { fieldError } from '../../format/describe-failure.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Checkbox, Input, Select } from '../../ui/form/field.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { EventPicker } from './event-picker.tsx';
import { SecretNotice } from './secret-notice.tsx';

interface WebhookFormProps {
  /** Undefined: create one. */
  readonly webhook: Webhook | undefined;
  readonly onClose: () => void;
}

const formatWords = {
  standard: 'Standard Webhooks: the whole event with metadata',
  simple: 'Simple: a few flat fields, for jobs only',
} as const;

/** Creates or changes a webhook. */
export const WebhookForm = ({ webhook, onClose }: WebhookFormProps) => {
  const form = useId();
  const create = useCreateWebhook();
  const update = useUpdateWebhook(webhook?.id ?? '');
  const [name, setName] = useState(webhook?.name ?? '');
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [events, setEvents] = useState<readonly string[]>(webhook?.events ?? ['backup.failed', 'restore.failed']);
  const [format, setFormat] = useState<Webhook['format']>(webhook?.format ?? 'standard');
  const [retryEnabled, setRetry] = useState(webhook?.retryEnabled ?? true);
  const error = create.error ?? update.error;
  const errorOf = (field: string): string | undefined => fieldError(error, field);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = { name, events: [...events], format, retryEnabled };
    // An unchanged address is not sent, because parts of it may be masked.
    if (webhook) update.mutate({ ...body, ...(url !== webhook.url && { url }) }, { onSuccess: onClose });
    else create.mutate({ ...body, url });
  };
  if (create.data?.secret) return <SecretNotice title="The webhook is ready" secret={create.data.secret} onClose={onClose} />;
  return (
    <Dialog
      open
      wide
      stays={create.isPending}
      onClose={onClose}
      title={webhook ? 'Edit the webhook' : 'Add a webhook'}
      actions={
        <>
          <Button onClick={onClose} disabledReason={create.isPending ? 'The webhook is being created' : undefined}>
            Cancel
          </Button>
          <Button
            variant="primary"
            type="submit"
            form={form}
            busy={create.isPending || update.isPending}
            disabledReason={events.length === 0 ? 'Choose at least one event' : undefined}
          >
            {webhook ? 'Save' : 'Add webhook'}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={submit}>
        <Input
          label="Name"
          required
          placeholder="On-call"
          value={name}
          onChange={({ target }) => setName(target.value)}
          error={errorOf('name')}
        />
        <Input
          label="Address"
          required
          mono
          type="url"
          placeholder="https://example.com/hooks/backups"
          hint="A public https address. It must answer with a status from 200 to 299 within the time limit."
          value={url}
          onChange={({ target }) => setUrl(target.value)}
          error={errorOf('url')}
        />
        <EventPicker value={events} onChange={setEvents} error={errorOf('events')} />
        <Select label="Format" value={format} onChange={({ target }) => setFormat(target.value as Webhook['format'])}>
          {webhookFormats.map((one) => (
            <option key={one} value={one}>
              {formatWords[one]}
            </option>
          ))}
        </Select>
        <Checkbox
          label="Retry deliveries that fail"
          hint="With growing pauses. An address that answers 410 is disabled at once."
          checked={retryEnabled}
          onChange={({ target }) => setRetry(target.checked)}
        />
        {error && <ErrorNotice error={error} shownFields={['name', 'url', 'events']} />}
      </form>
    </Dialog>
  );
};
