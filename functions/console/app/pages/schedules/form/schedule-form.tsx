import { useDraft } from '../../../api/use-draft.ts';
import type { Project } from '../../../data/projects.ts';
import { useDefaultStorageId, useStorageDestinations } from '../../../data/storage.ts';
import { fieldError } from '../../../format/describe-failure.ts';
import { cronOf } from '../../../forms/cron/cron-choice.ts';
import { NameAndProject } from '../../../forms/recurring/name-and-project.tsx';
import { RecurringForm, type RecurringFormState } from '../../../forms/recurring/recurring-form.tsx';
import { WhenCard } from '../../../forms/recurring/when-card.tsx';
import { Card } from '../../../ui/data/card.tsx';
import { Checkbox, Select } from '../../../ui/form/field.tsx';
import { RecordOptions } from '../../../ui/form/options.tsx';
import { RetentionCalendar } from '../preview/retention-calendar.tsx';
import { CollectionFields } from './collection-fields.tsx';
import { type Draft, inputOf } from './draft.ts';
import { ReadEstimate } from './read-estimate.tsx';
import { RetentionFields } from './retention-fields.tsx';

interface ScheduleFormProps extends RecurringFormState {
  readonly initial: Draft;
  /** The name of the kept draft. */
  readonly draftName: string;
  /** The schedule that is changed. */
  readonly scheduleId?: string;
  readonly projects: readonly Project[];
  readonly onSubmit: (input: ReturnType<typeof inputOf>, forget: () => void) => void;
}

const shownFields = ['name', 'timezone', 'retentionPolicy', 'retention'];

/** The project of a schedule never changes. */
export const ScheduleForm = ({ initial, draftName, scheduleId, projects, onSubmit, ...state }: ScheduleFormProps) => {
  const [draft, change, forget] = useDraft(draftName, initial, { recordId: scheduleId });
  const { isNew, error } = state;
  const submit = (): void => {
    const collections = draft.collections.map((path) => path.trim()).filter(Boolean);
    onSubmit(inputOf({ ...draft, collections }), forget);
  };
  return (
    <RecurringForm what="schedule" shownFields={shownFields} onSubmit={submit} onCancel={forget} {...state}>
      <Card title="What">
        <div className="form form--wide">
          <NameAndProject draft={draft} projects={projects} onChange={change} error={error} isFixed={!isNew} />
          <CollectionFields draft={draft} onChange={change} error={fieldError(error, 'collections')} />
          <Checkbox
            label="Also back up the users of Firebase Authentication"
            checked={draft.includeAuthUsers}
            onChange={({ target }) => change({ includeAuthUsers: target.checked })}
          />
        </div>
      </Card>
      <WhenCard when={draft} onChange={change} error={error} />
      <Card
        title="How long backups are kept"
        description="A backup that a kept one builds on is never removed, nor is the last good one."
      >
        <div className="form__split schedule-form__split--retention">
          <RetentionFields
            retention={draft.retention}
            onChange={(retention) => change({ retention })}
            error={fieldError(error, 'retentionPolicy') ?? fieldError(error, 'retention')}
          />
          <RetentionCalendar cron={cronOf(draft.choice)} timezone={draft.timezone} retention={draft.retention} />
        </div>
      </Card>
      <StorageCard draft={draft} project={projects.find(({ id }) => id === draft.projectId)} onChange={change} />
    </RecurringForm>
  );
};

interface StorageCardProps {
  readonly draft: Draft;
  readonly project: Project | undefined;
  readonly onChange: (part: Partial<Draft>) => void;
}

const StorageCard = ({ draft, project, onChange }: StorageCardProps) => {
  const { items: destinations } = useStorageDestinations();
  const standardId = useDefaultStorageId(project);
  const standard = destinations?.find(({ id }) => id === standardId);
  return (
    <Card title="How and where">
      <div className="stack">
        <div className="form form--wide form__pair">
          <Select
            label="What a run stores"
            hint="A full backup is made by itself where an incremental one has nothing to build on."
            value={draft.type}
            onChange={({ target }) => onChange({ type: target.value as Draft['type'] })}
          >
            <option value="incremental">Only what changed (incremental)</option>
            <option value="full">Every document (full)</option>
          </Select>
          <Select
            label="Storage"
            value={draft.storageDestinationId}
            onChange={({ target }) => onChange({ storageDestinationId: target.value })}
          >
            <option value="">{standard ? `Default: ${standard.name}` : 'Default of the project'}</option>
            <RecordOptions of={destinations} />
          </Select>
        </div>
        <Checkbox
          label="Read every document from the database"
          hint="Otherwise a project whose changes are captured is backed up from them, at next to no cost."
          checked={draft.source === 'read'}
          onChange={({ target }) => onChange({ source: target.checked ? 'read' : 'auto' })}
        />
        {project && <ReadEstimate project={project} draft={draft} />}
      </div>
    </Card>
  );
};
