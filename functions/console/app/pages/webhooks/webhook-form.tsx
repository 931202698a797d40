import { type FormEvent, useId } from 'react';
import { webhookFormats } from '../../../../../shared/contract/models/webhook-enums.ts';
import { useDraft } from '../../api/use-draft.ts';
import { useCreateWebhook, useUpdateWebhook, type Webhook } from '../../data/webhooks.ts';
import { fieldError } from '../../format/describe-failure.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { changesOf } from '../../ui/form/changes-of.ts';
import { Checkbox, Input, Select } from '../../ui/form/field.tsx';
import { useFirst } from '../../ui/form/use-first.ts';
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

const draftOf = (webhook: Webhook | undefined) => ({
  name: webhook?.name ?? '',
  url: webhook?.url ?? '',
  events: (webhook?.events ?? ['backup.failed', 'restore.failed']) as readonly string[],
  format: webhook?.format ?? 'standard',
  retryEnabled: webhook?.retryEnabled ?? true,
});

/** What is sent, apart from the address. */
const bodyOf = ({ name, events, format, retryEnabled }: ReturnType<typeof draftOf>) => ({
  name,
  events: [...events],
  format,
  retryEnabled,
});

/** Creates or changes a webhook. */
export const WebhookForm = ({ webhook, onClose }: WebhookFormProps) => {
  const form = useId();
  const opened = useFirst(webhook);
  const create = useCreateWebhook();
  const update = useUpdateWebhook(webhook?.id ?? '');
  // An address may contain a token.
  const [draft, change, forget] = useDraft('webhook', draftOf(webhook), { secrets: ['url'], recordId: webhook?.id });
  const { name, url, events, format, retryEnabled } = draft;
  const error = create.error ?? update.error;
  const errorOf = (field: string): string | undefined => fieldError(error, field);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!opened) {
      create.mutate({ ...bodyOf(draft), url }, { onSuccess: forget });
      return;
    }
    // What was not changed is not sent: others may have changed it meanwhile, and parts of the address may be masked.
    const changes = { ...changesOf(bodyOf(draftOf(opened)), bodyOf(draft)), ...(url !== opened.url && { url }) };
    if (Object.keys(changes).length === 0) onClose();
    else update.mutate(changes, { onSuccess: onClose });
  };
  const cancel = (): void => {
    forget();
    onClose();
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
          <Button onClick={cancel} disabledReason={create.isPending ? 'The webhook is being created' : undefined}>
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
          onChange={({ target }) => change({ retryEnabled: target.checked })}
        />
        {error && <ErrorNotice error={error} shownFields={['name', 'url', 'events']} />}
      </form>
    </Dialog>
  );
};
