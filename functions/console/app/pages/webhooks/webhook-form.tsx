import { webhookFormats } from '../../../../../shared/contract/models/webhook-enums.ts';
import { useRecordForm } from '../../api/use-record-form.ts';
import { useCreateWebhook, useUpdateWebhook, type Webhook } from '../../data/webhooks.ts';
import { Checkbox, Input, Select } from '../../ui/form/field.tsx';
import { WordOptions } from '../../ui/form/options.tsx';
import { FormDialog } from '../../ui/overlay/form-dialog.tsx';
import { EventPicker } from './event-picker.tsx';
import { WebhookSecret } from './webhook-secret.tsx';

interface WebhookFormProps {
  /** Undefined: create one. */
  readonly webhook: Webhook | undefined;
  readonly onClose: () => void;
}

const formatWords = {
  standard: 'Standard Webhooks: the whole event with metadata',
  simple: 'Simple: a few flat fields, for jobs only',
} as const;

const draftOf = (webhook: Webhook | undefined) => ({
  name: webhook?.name ?? '',
  url: webhook?.url ?? '',
  events: (webhook?.events ?? ['backup.failed', 'restore.failed']) as readonly string[],
  format: webhook?.format ?? 'standard',
  retryEnabled: webhook?.retryEnabled ?? true,
});

/** Creates or changes a webhook. */
export const WebhookForm = ({ webhook, onClose }: WebhookFormProps) => {
  const create = useCreateWebhook();
  const { draft, change, errorOf, dialog } = useRecordForm({
    name: 'webhook',
    record: webhook,
    draftOf,
    bodyOf: (body) => ({ ...body, events: [...body.events] }),
    // An address may contain a token.
    secrets: ['url'],
    create,
    update: useUpdateWebhook(webhook?.id ?? ''),
    onClose,
  });
  const { name, url, events, format, retryEnabled } = draft;
  if (create.data?.secret) return <WebhookSecret title="The webhook is ready" secret={create.data.secret} onClose={onClose} />;
  return (
    <FormDialog
      {...dialog}
      wide
      title={webhook ? 'Edit the webhook' : 'Add a webhook'}
      action={webhook ? 'Save' : 'Add webhook'}
      creating={create.isPending ? 'The webhook is being created' : undefined}
      reason={events.length === 0 ? 'Choose at least one event' : undefined}
      shownFields={['name', 'url', 'events']}
    >
      <Input
        label="Name"
        required
        placeholder="On-call"
        value={name}
        onChange={({ target }) => change({ name: target.value })}
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
        onChange={({ target }) => change({ url: target.value })}
        error={errorOf('url')}
      />
      <EventPicker value={events} onChange={(chosen) => change({ events: chosen })} error={errorOf('events')} />
      <Select label="Format" value={format} onChange={({ target }) => change({ format: target.value as Webhook['format'] })}>
        <WordOptions of={webhookFormats} words={formatWords} />
      </Select>
      <Checkbox
        label="Retry deliveries that fail"
        hint="With growing pauses. An address that answers 410 is disabled at once."
        checked={retryEnabled}
        onChange={({ target }) => change({ retryEnabled: target.checked })}
      />
    </FormDialog>
  );
};
