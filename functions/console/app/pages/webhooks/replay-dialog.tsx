import { useState } from 'react';
import { replayStatuses } from '../../../../../shared/contract/models/webhook-enums.ts';
import { useReplay } from '../../data/webhooks.ts';
import { ownTimeZone } from '../../format/format-time.ts';
import { Input, Select } from '../../ui/form/field.tsx';
import { WordOptions } from '../../ui/form/options.tsx';
import { FormDialog } from '../../ui/overlay/form-dialog.tsx';

interface ReplayDialogProps {
  readonly webhookId: string;
  readonly onClose: () => void;
}

type Status = (typeof replayStatuses)[number];

const statusWords: Readonly<Record<Status, string>> = {
  failed: 'Events whose delivery failed',
  missing: 'Events that were never sent to this webhook',
  delivered: 'Events that were delivered',
  all: 'All events',
};

const hourMs = 3_600_000;
/** For an input of date and time, in the person's time zone. */
const localInput = (at: Date): string => new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** Sends the events of a time range again, for example after the endpoint was down. */
export const ReplayDialog = ({ webhookId, onClose }: ReplayDialogProps) => {
  const replay = useReplay(webhookId);
  const [from, setFrom] = useState(() => localInput(new Date(Date.now() - 24 * hourMs)));
  const [to, setTo] = useState(() => localInput(new Date()));
  const [status, setStatus] = useState<Status>('failed');
  const submit = (): void => {
    const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    replay.mutate({ ...range, status }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title="Replay events"
      description={`Events of the chosen time are sent again, oldest first. Times are yours (${ownTimeZone()}); events are kept for 30 days.`}
      change={replay}
      action="Replay"
      reason={from && to ? undefined : 'Choose both times'}
      onSubmit={submit}
      onClose={onClose}
    >
      <Input label="From" type="datetime-local" required value={from} onChange={({ target }) => setFrom(target.value)} />
      <Input label="To" type="datetime-local" required value={to} onChange={({ target }) => setTo(target.value)} />
      <Select label="Which" value={status} onChange={({ target }) => setStatus(target.value as Status)}>
        <WordOptions of={replayStatuses} words={statusWords} />
      </Select>
    </FormDialog>
  );
};
