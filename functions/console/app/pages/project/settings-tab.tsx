import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import {
  backupTimeoutMinutesMax,
  backupTimeoutMinutesMin,
  labelsMax,
  searchFieldsMax,
} from '../../../../../shared/contract/limits.ts';
import { usePermission } from '../../api/permission.ts';
import { useEdits } from '../../api/use-edits.ts';
import { useOrganization } from '../../data/organization.ts';
import { type Project, useDisconnectProject, useProject, useUpdateProject } from '../../data/projects.ts';
import { useStorageDestinations } from '../../data/storage.ts';
import { fieldError } from '../../format/describe-failure.ts';
import { labelsChange, labelsText } from '../../format/labels-text.ts';
import { paths } from '../../paths.ts';
import { listOf } from '../../search-text.ts';
import { Card } from '../../ui/data/card.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Input, Select } from '../../ui/form/field.tsx';
import { SaveButton } from '../../ui/form/save-button.tsx';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';
import { useParam } from '../../use-param.ts';
import { useSearchParams } from '../../use-search.ts';
import { ConnectionCard } from './connection/connection-card.tsx';

export const SettingsTab = () => {
  const { data, error, refetch } = useProject(useParam('projectId'));
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <SkeletonText />;
  return (
    <div className="stack">
      <SettingsForm project={data} />
      <ConnectionCard project={data} />
      <DisconnectCard project={data} />
    </div>
  );
};

const SettingsForm = ({ project }: { readonly project: Project }) => {
  const { settings } = project;
  const [{ searchFields: asked }] = useSearchParams();
  const namedFields = settings.searchFields ?? [];
  const { fields, changes, isSame, edit, clear } = useEdits(
    `project.${project.id}`,
    {
      name: project.name,
      labels: labelsText(project.labels),
      timeout: String(settings.backupTimeoutMinutes),
      storageId: settings.defaultStorageId ?? '',
      maxReads: settings.maxReads?.toString() ?? '',
      searchFields: namedFields.join(', '),
    },
    asked === undefined ? {} : { searchFields: [...new Set([...namedFields, ...listOf(asked)])].join(', ') },
  );
  const { items: destinations } = useStorageDestinations();
  const { data: organization } = useOrganization();
  const standard = destinations?.find(({ id }) => id === organization?.settings.defaultStorageId);
  const update = useUpdateProject(project.id);
  const { isAllowed, reason } = usePermission('member');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { name, labels, timeout, storageId, maxReads, searchFields } = changes;
    const changed = {
      ...(timeout !== undefined && { backupTimeoutMinutes: Number(timeout) }),
      ...(storageId !== undefined && { defaultStorageId: storageId || null }),
      ...(maxReads !== undefined && { maxReads: maxReads === '' ? null : Number(maxReads) }),
      ...(searchFields !== undefined && { searchFields: listed(searchFields) }),
    };
    update.mutate(
      {
        ...(name !== undefined && { name }),
        ...(labels !== undefined && { labels: labelsChange(project.labels, labels) }),
        settings: changed,
      },
      { onSuccess: () => clear(changes) },
    );
  };
  return (
    <Card title="Settings">
      <form className="form form--wide" onSubmit={submit}>
        <div className="form__pair">
          <Input
            label="Name"
            value={fields.name}
            disabled={!isAllowed}
            onChange={({ target }) => edit({ name: target.value })}
            error={fieldError(update.error, 'name')}
            required
          />
          <Input
            label="Labels"
            optional
            placeholder="team=shop, env=production"
            hint={`Lists of projects are filtered by them. At most ${labelsMax}.`}
            value={fields.labels}
            disabled={!isAllowed}
            onChange={({ target }) => edit({ labels: target.value })}
            error={fieldError(update.error, 'labels')}
          />
        </div>
        <div className="form__pair">
          <Select
            label="Storage for backups"
            hint="Used where a backup or a schedule names none."
            value={fields.storageId}
            disabled={!isAllowed}
            onChange={({ target }) => edit({ storageId: target.value })}
          >
            <option value="">{standard ? `Default of the organization: ${standard.name}` : 'Default of the organization'}</option>
            {destinations?.map((destination) => (
              <option key={destination.id} value={destination.id}>
                {destination.name}
              </option>
            ))}
          </Select>
          <Input
            label="Fields to search by"
            optional
            autoFocus={asked !== undefined}
            placeholder="email, address.city"
            hint={`The next backups are searched faster by their values. At most ${searchFieldsMax}.`}
            value={fields.searchFields}
            disabled={!isAllowed}
            onChange={({ target }) => edit({ searchFields: target.value })}
            error={fieldError(update.error, 'settings.searchFields')}
          />
        </div>
        <div className="form__pair">
          <Input
            label="Time limit of a backup (minutes)"
            hint={`A backup that takes longer fails. From ${backupTimeoutMinutesMin} to ${backupTimeoutMinutesMax}.`}
            type="number"
            min={backupTimeoutMinutesMin}
            max={backupTimeoutMinutesMax}
            value={fields.timeout}
            disabled={!isAllowed}
            onChange={({ target }) => edit({ timeout: target.value })}
            error={fieldError(update.error, 'settings.backupTimeoutMinutes')}
            required
          />
          <Input
            label="Limit of reads per backup"
            optional
            hint="A backup that would read more documents does not start."
            type="number"
            min={1}
            placeholder="No limit"
            value={fields.maxReads}
            disabled={!isAllowed}
            onChange={({ target }) => edit({ maxReads: target.value })}
            error={fieldError(update.error, 'settings.maxReads')}
          />
        </div>
        {update.error && (
          <ErrorNotice
            error={update.error}
            shownFields={['name', 'labels', 'settings.backupTimeoutMinutes', 'settings.maxReads', 'settings.searchFields']}
          />
        )}
        <SaveButton busy={update.isPending} isSame={isSame} reason={reason} />
      </form>
    </Card>
  );
};

const listed = (text: string): readonly string[] =>
  text
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '');

const DisconnectCard = ({ project: { id, name } }: { readonly project: Project }) => {
  const [isOpen, setOpen] = useState(false);
  const disconnect = useDisconnectProject(id);
  const navigate = useNavigate();
  const { reason } = usePermission('member');
  return (
    <>
      <Card
        title="Disconnect this project"
        description="Stops backups of this project. Its backups stay and can be restored."
        actions={
          <Button icon="trash" variant="quiet-danger" disabledReason={reason} onClick={() => setOpen(true)}>
            Disconnect…
          </Button>
        }
      />
      <ConfirmDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={`Disconnect ${name}?`}
        typed={name}
        action="Disconnect"
        mutation={disconnect}
        onConfirm={() => disconnect.mutate(undefined, { onSuccess: () => void navigate({ to: paths.projects }) })}
      >
        <p>
          Its schedules are deleted, and its captured changes with every point in time are deleted within a minute. Its backups
          are kept. The database itself is not touched.
        </p>
      </ConfirmDialog>
    </>
  );
};
