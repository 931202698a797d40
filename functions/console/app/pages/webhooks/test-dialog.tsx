import { useState } from 'react';
import { useTestWebhook, useWebhookEvents, type Webhook } from '../../data/webhooks.ts';
import { formatDuration } from '../../format/format-time.ts';
import { answerOf } from '../../parts/delivery-state.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Select } from '../../ui/form/field.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';

interface TestDialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

export const TestDialog = ({ webhook, onClose }: TestDialogProps) => {
  const events = useWebhookEvents();
  const test = useTestWebhook(webhook.id);
  const [event, setEvent] = useState('backup.completed');
  const known = events.data?.filter(({ formats }) => formats.includes(webhook.format)) ?? [];
  const result = test.data;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Send a test"
      description="A sample event is sent once, now, also if the webhook is disabled. It is marked as a test in its metadata and headers."
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button variant="primary" busy={test.isPending} onClick={() => test.mutate(event)}>
            Send test
          </Button>
        </>
      }
    >
      <div className="stack">
        <Select label="Event" value={event} onChange={({ target }) => setEvent(target.value)}>
          {known.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
        {test.error && <ErrorNotice error={test.error} />}
        {result && (
          <Notice
            tone={result.success ? 'good' : 'bad'}
            title={
              result.success
                ? `Delivered: the endpoint answered ${result.statusCode}`
                : result.statusCode
                  ? `Not delivered: the endpoint answered ${result.statusCode}`
                  : 'Not delivered'
            }
          >
            {[
              result.statusCode ? undefined : `${answerOf({ statusCode: null, lastError: result.error })}.`,
              `It took ${formatDuration(result.duration)}.`,
            ]
              .filter(Boolean)
              .join(' ')}
          </Notice>
        )}
      </div>
    </Dialog>
  );
};
