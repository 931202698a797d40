import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useDebounced } from '../../api/use-debounced.ts';
import { type BackupRequest, isBackupRunning, useBackups, useEstimate, useStartBackup } from '../../data/backups.ts';
import { useProjects } from '../../data/projects.ts';
import { useDefaultStorageId, useStorageDestinations } from '../../data/storage.ts';
import { fieldError } from '../../format/describe-failure.ts';
import { paths } from '../../paths.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { Choice } from '../../ui/form/choice.tsx';
import { Select } from '../../ui/form/field.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { EstimatePanel } from './estimate-panel.tsx';
import { MoreOptions, type Options, optionsOf } from './more-options.tsx';
import { type Scope, ScopeField, scopeOf } from './scope-field.tsx';

const types = [
  ['full', 'Full', 'Stores every document. It needs no other backup.'],
  [
    'incremental',
    'Incremental',
    'Reads every document, but stores only what changed since the last backup of the same collections.',
  ],
] as const;

interface BackUpDialogProps {
  readonly projectId: string | undefined;
  /** The project cannot be changed: the dialog is opened from its page. */
  readonly isFixed?: boolean;
  readonly onClose: () => void;
}

/** Starts a backup. What it would read and cost is shown before. */
export const BackUpDialog = ({ projectId: initial, isFixed = false, onClose }: BackUpDialogProps) => {
  const navigate = useNavigate();
  const { items: projects } = useProjects();
  const { items: destinations } = useStorageDestinations();
  const [chosenProject, chooseProject] = useState(initial);
  const [type, setType] = useState<'full' | 'incremental'>('full');
  const [scope, setScope] = useState<Scope>({ kind: 'all', paths: '' });
  const [storage, setStorage] = useState('');
  const [options, setOptions] = useState<Options>({ users: false, days: '', read: false });
  const start = useStartBackup();

  const projectId = chosenProject ?? (projects?.length === 1 ? projects[0]?.id : undefined);
  const project = projects?.find(({ id }) => id === projectId);
  const standard = useDefaultStorageId(project);
  const storageId = storage || standard || (destinations?.length === 1 ? destinations[0]?.id : undefined);
  const covered = scopeOf(scope);
  const request: BackupRequest | undefined =
    projectId && storageId && covered
      ? { projectId, type, storageDestinationId: storageId, ...covered, ...optionsOf(options) }
      : undefined;
  const { items: backups, query } = useBackups(projectId === undefined ? {} : { projectId }, projectId !== undefined);
  const running = projectId === undefined ? undefined : backups?.find(({ status }) => isBackupRunning(status));
  const settled = useDebounced(request);
  // An estimate reads the database: not for a backup that cannot start.
  const estimate = useEstimate(query.isPending || running ? undefined : settled);
  const isEstimating = query.isPending || estimate.isFetching || JSON.stringify(settled) !== JSON.stringify(request);

  const missing = !projectId ? 'Choose a project first.' : !storageId ? 'Choose a storage first.' : undefined;
  const busy = running && 'Wait until the running backup has ended.';
  const waiting = isEstimating ? 'Wait for the estimate.' : undefined;
  const submit = (): void => {
    if (!request) return;
    start.mutate(request, { onSuccess: ({ id }) => void navigate({ to: paths.backup(id) }) });
  };
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={isFixed && project ? `Back up ${project.name}` : 'Back up now'}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            busy={start.isPending}
            disabledReason={missing ?? busy ?? (covered ? waiting : 'Name at least one collection.')}
            onClick={submit}
          >
            Start backup
          </Button>
        </>
      }
    >
      {destinations?.length === 0 && (
        <Notice tone="warn" title="There is no storage yet" actions={<ButtonLink to={paths.storage}>Add storage</ButtonLink>}>
          Backups are stored in a bucket of yours.
        </Notice>
      )}
      {running && (
        <Notice
          title={`A backup of ${running.projectName ?? 'this project'} is running`}
          actions={<ButtonLink to={paths.backup(running.id)}>Watch it</ButtonLink>}
        >
          A project has one backup at a time. This one began <Time at={running.createdAt} relative />; the next can start when it
          has ended.
        </Notice>
      )}
      <div className="back-up__columns">
        {!isFixed && (
          <Select label="Project" value={projectId ?? ''} onChange={({ target }) => chooseProject(target.value || undefined)}>
            <option value="">Choose a project</option>
            {projects?.map(({ id, name, sourceProjectId }) => (
              <option key={id} value={id}>
                {name} · {sourceProjectId}
              </option>
            ))}
          </Select>
        )}
        <Select
          label="Storage"
          value={storageId ?? ''}
          onChange={({ target }) => setStorage(target.value)}
          hint={
            storageId !== undefined &&
            storageId === standard &&
            `The default storage of ${project?.settings.defaultStorageId ? 'this project' : 'the organization'}.`
          }
          error={fieldError(start.error, 'storageDestinationId')}
        >
          <option value="">Choose a storage</option>
          {destinations?.map(({ id, name, bucket }) => (
            <option key={id} value={id}>
              {name} · {bucket}
            </option>
          ))}
        </Select>
      </div>
      <Choice label="Type" value={type} options={types} onChange={setType} />
      <ScopeField scope={scope} onChange={setScope} known={estimate.data?.collections} />
      <MoreOptions options={options} onChange={setOptions} />
      <EstimatePanel
        estimate={estimate}
        isEstimating={isEstimating}
        type={type}
        isReady={request !== undefined && running === undefined}
        projectId={projectId ?? ''}
      />
      {start.error && (
        <ErrorNotice error={start.error} title="The backup could not be started" shownFields={['storageDestinationId']} />
      )}
    </Dialog>
  );
};
