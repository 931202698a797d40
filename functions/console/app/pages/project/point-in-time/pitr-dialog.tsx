import { useState } from 'react';
import {
  auditDaysMax,
  auditDaysMin,
  captureIntervalSecondsMax,
  captureIntervalSecondsMin,
  pitrRetentionDaysMax,
} from '../../../../../../shared/contract/limits.ts';
import { useDraft } from '../../../api/use-draft.ts';
import { type Pitr, type Project, useEnablePitr, useUpdatePitr } from '../../../data/projects.ts';
import { useDefaultStorageId, useStorageDestinations } from '../../../data/storage.ts';
import { fieldError } from '../../../format/describe-failure.ts';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { Button } from '../../../ui/form/button.tsx';
import { changesOf } from '../../../ui/form/changes-of.ts';
import { Input, Select } from '../../../ui/form/field.tsx';
import { RecordOptions } from '../../../ui/form/options.tsx';
import { RadioCards } from '../../../ui/form/radio-cards.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';

interface PitrDialogProps {
  readonly project: Project;
  readonly pitr: Pitr;
  readonly onClose: () => void;
}

const precisions = [
  {
    value: 'second',
    title: 'Every second',
    children: 'Captures without pause. About 86,400 reads a day (1.60 USD a month), plus one for each change.',
  },
  {
    value: 'interval',
    title: 'Once per interval',
    children: 'Restores go to the end of an interval. One read for each changed document.',
  },
] as const;

const settingsOf = ({ precision, retentionDays, captureIntervalSeconds, auditDays }: Pitr) => ({
  precision,
  retentionDays,
  captureIntervalSeconds,
  auditDays,
});

/** Enables point-in-time recovery, or changes its settings. */
export const PitrDialog = ({ project, pitr, onClose }: PitrDialogProps) => {
  const [opened] = useState(pitr);
  const isEnabled = opened.enabled;
  const initial = {
    precision: pitr.precision,
    days: String(pitr.retentionDays),
    seconds: String(pitr.captureIntervalSeconds),
    auditDays: String(pitr.auditDays),
    storageId: '',
  };
  const [draft, change] = useDraft('pitr', initial, { recordId: project.id });
  const { precision, days, seconds, auditDays, storageId: chosenId } = draft;
  const { items: destinations } = useStorageDestinations();
  const standard = useDefaultStorageId(project);
  const storageId = chosenId || (standard === null ? destinations?.[0]?.id : standard);
  const [enable, update] = [useEnablePitr(project.id), useUpdatePitr(project.id)];
  const { error } = isEnabled ? update : enable;
  const isPending = enable.isPending || update.isPending;
  const submit = (): void => {
    const settings = {
      precision,
      retentionDays: Number(days),
      captureIntervalSeconds: Number(seconds),
      auditDays: Number(auditDays),
    };
    if (isEnabled) {
      // Others may have changed the rest meanwhile: a shorter time would delete captured changes.
      const changes = changesOf(settingsOf(opened), settings);
      if (Object.keys(changes).length === 0) onClose();
      else update.mutate(changes, { onSuccess: onClose });
    } else enable.mutate({ ...settings, ...(storageId && { storageDestinationId: storageId }) }, { onSuccess: onClose });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={isEnabled ? 'Settings of point-in-time recovery' : 'Enable point-in-time recovery'}
      description={
        !isEnabled && 'It starts with a base backup that reads every document once. After that only changes are read and stored.'
      }
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={isPending} onClick={submit}>
            {isEnabled ? 'Save' : 'Enable'}
          </Button>
        </>
      }
    >
      <RadioCards
        legend="Precision"
        showsLegend
        value={precision}
        cards={precisions}
        onChange={(chosen) => change({ precision: chosen })}
      />
      <div className="form__pair">
        <Input
          label="Keep changes (days)"
          hint={`How far back you can go. 1 to ${pitrRetentionDaysMax}.`}
          type="number"
          min={1}
          max={pitrRetentionDaysMax}
          value={days}
          onChange={({ target }) => change({ days: target.value })}
          error={fieldError(error, 'retentionDays')}
        />
        <Input
          label="Store changes every (seconds)"
          hint={`What is not stored yet would be lost with the database. ${captureIntervalSecondsMin} to ${captureIntervalSecondsMax}.`}
          type="number"
          min={captureIntervalSecondsMin}
          max={captureIntervalSecondsMax}
          value={seconds}
          onChange={({ target }) => change({ seconds: target.value })}
          error={fieldError(error, 'captureIntervalSeconds')}
        />
      </div>
      <Input
        label="Read every document again within (days)"
        hint={`A part is read each day and compared with what was captured. More days cost fewer reads. ${auditDaysMin} to ${auditDaysMax}.`}
        type="number"
        min={auditDaysMin}
        max={auditDaysMax}
        value={auditDays}
        onChange={({ target }) => change({ auditDays: target.value })}
        error={fieldError(error, 'auditDays')}
      />
      {!pitr.enabled && (
        <Select label="Where changes are stored" value={storageId} onChange={({ target }) => change({ storageId: target.value })}>
          <RecordOptions of={destinations} />
        </Select>
      )}
      {error && <ErrorNotice error={error} shownFields={['retentionDays', 'captureIntervalSeconds', 'auditDays']} />}
    </Dialog>
  );
};
