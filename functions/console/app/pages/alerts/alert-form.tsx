import { useNavigate } from '@tanstack/react-router';
import { lapsedAfterHoursMax, lapsedAfterHoursMin } from '../../../../../shared/contract/limits.ts';
import { type AlertChannel, alertChannels, alertSeverities } from '../../../../../shared/contract/models/alert-enums.ts';
import { useRecordForm } from '../../api/use-record-form.ts';
import { type Alert, useCreateAlert, useUpdateAlert } from '../../data/alerts.ts';
import { ProjectPicker } from '../../parts/project-picker.tsx';
import { paths } from '../../paths.ts';
import { Input, Select } from '../../ui/form/field.tsx';
import { WordOptions } from '../../ui/form/options.tsx';
import { FormDialog } from '../../ui/overlay/form-dialog.tsx';
import { type AlertDraft, draftOf, inputOf } from './alert-draft.ts';
import { channelWords, minimumWords } from './alert-words.ts';
import { KindPicker } from './kind-picker.tsx';
import { TargetFields } from './target-fields.tsx';

interface AlertFormProps {
  /** Undefined: create one. */
  readonly alert: Alert | undefined;
  readonly onClose: () => void;
}

const shownFields = ['name', 'recipients', 'url', 'routingKey', 'projectIds', 'kinds', 'lapsedAfterHours'];

/** Creates or changes an alert. */
export const AlertForm = ({ alert, onClose }: AlertFormProps) => {
  const navigate = useNavigate();
  const create = useCreateAlert();
  const {
    draft,
    change: set,
    errorOf,
    dialog,
  } = useRecordForm({
    name: 'alert',
    record: alert,
    draftOf,
    bodyOf: inputOf,
    secrets: ['url', 'routingKey'],
    create,
    update: useUpdateAlert(alert?.id ?? ''),
    onCreated: ({ id }) => void navigate({ to: paths.alert(id) }),
    onClose,
  });
  return (
    <FormDialog
      {...dialog}
      wide
      title={alert ? 'Change the alert' : 'Add an alert'}
      action={alert ? 'Save' : 'Add alert'}
      creating={create.isPending ? 'The alert is being created' : undefined}
      shownFields={shownFields}
    >
      <Select
        label="Channel"
        value={draft.channel}
        disabled={alert !== undefined}
        hint={alert ? 'The channel of an alert cannot be changed. Add another alert instead.' : undefined}
        onChange={({ target }) => set({ channel: target.value as AlertChannel, url: '', routingKey: '' })}
      >
        <WordOptions of={alertChannels} words={channelWords} />
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
        <WordOptions of={alertSeverities} words={minimumWords} />
      </Select>
      <ProjectPicker
        value={draft.projectIds}
        onChange={(projectIds) => set({ projectIds })}
        error={errorOf('projectIds')}
        hint="Incidents that concern no project, such as a failing storage destination, are always reported."
      />
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
    </FormDialog>
  );
};
