import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId } from 'react';
import { lapsedAfterHoursMax, lapsedAfterHoursMin } from '../../../../../shared/contract/limits.ts';
import { type AlertChannel, alertChannels, alertSeverities } from '../../../../../shared/contract/models/alert-enums.ts';
import { useDraft } from '../../api/use-draft.ts';
import { type Alert, useCreateAlert, useUpdateAlert } from '../../data/alerts.ts';
import { fieldError } from '../../format/describe-failure.ts';
import { paths } from '../../paths.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Input, Select } from '../../ui/form/field.tsx';
import { useFirst } from '../../ui/form/use-first.ts';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { type AlertDraft, alertChanges, draftOf, inputOf } from './alert-draft.ts';
import { channelWords, minimumWords } from './alert-words.ts';
import { KindPicker } from './kind-picker.tsx';
import { ProjectPicker } from './project-picker.tsx';
import { TargetFields } from './target-fields.tsx';

interface AlertFormProps {
  /** Undefined: create one. */
  readonly alert: Alert | undefined;
  readonly onClose: () => void;
}

const shownFields = ['name', 'recipients', 'url', 'routingKey', 'projectIds', 'kinds', 'lapsedAfterHours'];

/** Creates or changes an alert. */
export const AlertForm = ({ alert, onClose }: AlertFormProps) => {
  const form = useId();
  const navigate = useNavigate();
  const opened = useFirst(alert);
  const create = useCreateAlert();
  const update = useUpdateAlert(alert?.id ?? '');
  const [draft, set, forget] = useDraft('alert', draftOf(alert), { secrets: ['url', 'routingKey'], recordId: alert?.id });
  const error = create.error ?? update.error;
  /** A list of addresses names the wrong one: `recipients.2`. */
  const errorOf = (field: string): string | undefined =>
    fieldError(error, field) ?? Array.from({ length: 20 }, (_, n) => fieldError(error, `${field}.${n}`)).find(Boolean);
  const isFieldError = shownFields.some((field) => errorOf(field) !== undefined);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (opened) {
      const changes = alertChanges(draftOf(opened), draft);
      if (Object.keys(changes).length === 0) onClose();
      else update.mutate(changes, { onSuccess: onClose });
    } else
      create.mutate(inputOf(draft), {
        onSuccess: ({ id }) => {
          forget();
          void navigate({ to: paths.alert(id) });
        },
      });
  };
  const cancel = (): void => {
    forget();
    onClose();
  };
  return (
    <Dialog
      open
      wide
      stays={create.isPending}
      onClose={onClose}
      title={alert ? 'Change the alert' : 'Add an alert'}
      actions={
        <>
          <Button onClick={cancel} disabledReason={create.isPending ? 'The alert is being created' : undefined}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={form} busy={create.isPending || update.isPending}>
            {alert ? 'Save' : 'Add alert'}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={submit}>
        <Select
          label="Channel"
          value={draft.channel}
          disabled={alert !== undefined}
          hint={alert ? 'The channel of an alert cannot be changed. Add another alert instead.' : undefined}
          onChange={({ target }) => set({ channel: target.value as AlertChannel, url: '', routingKey: '' })}
        >
          {alertChannels.map((channel) => (
            <option key={channel} value={channel}>
              {channelWords[channel]}
            </option>
          ))}
        </Select>
        <Input
          label="Name"
          required
          placeholder="On-call"
          value={draft.name}
          onChange={({ target }) => set({ name: target.value })}
          error={errorOf('name')}
        />
        <TargetFields draft={draft} set={set} stored={alert} errorOf={errorOf} />
        <KindPicker value={draft.kinds} onChange={(kinds) => set({ kinds })} error={errorOf('kinds')} />
        <Select
          label="How severe"
          value={draft.severity}
          onChange={({ target }) => set({ severity: target.value as AlertDraft['severity'] })}
        >
          {alertSeverities.map((severity) => (
            <option key={severity} value={severity}>
              {minimumWords[severity]}
            </option>
          ))}
        </Select>
        <ProjectPicker value={draft.projectIds} onChange={(projectIds) => set({ projectIds })} error={errorOf('projectIds')} />
        <Input
          label="Protection has lapsed after this many hours without a good backup"
          type="number"
          required
          min={lapsedAfterHoursMin}
          max={lapsedAfterHoursMax}
          value={draft.lapsedAfterHours}
          onChange={({ target }) => set({ lapsedAfterHours: target.value })}
          error={errorOf('lapsedAfterHours')}
        />
        {error && !isFieldError && <ErrorNotice error={error} />}
      </form>
    </Dialog>
  );
};
