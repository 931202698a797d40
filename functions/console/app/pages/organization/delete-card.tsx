import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiFailure } from '../../../../../shared/client/index.ts';
import { usePermission } from '../../api/permission.ts';
import { type Organization, useDeleteOrganization } from '../../data/organization.ts';
import { formatPlural } from '../../format/format-number.ts';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Checkbox } from '../../ui/form/field.tsx';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';

const adviceFor = (error: unknown, cancels: boolean): string | undefined => {
  if (!(error instanceof ApiFailure) || error.code !== 'JOB_IN_PROGRESS') return undefined;
  return cancels ? 'Try again in a minute.' : 'Wait until they have ended, or choose “Cancel running jobs first”.';
};

export const DeleteCard = ({ organization }: { readonly organization: Organization }) => {
  const { reason } = usePermission('owner');
  const { name, statistics } = organization;
  const navigate = useNavigate();
  const remove = useDeleteOrganization();
  const [isOpen, setOpen] = useState(false);
  const [isForced, setForced] = useState(false);
  const [deletesData, setDeletesData] = useState(false);
  const [cancels, setCancels] = useState(false);
  const confirm = (): void =>
    remove.mutate(
      {
        confirmName: name,
        ...(isForced && { force: true, deleteBackupData: deletesData }),
        ...(cancels && { cancelJobs: true }),
      },
      { onSuccess: () => void navigate({ to: paths.overview }) },
    );
  return (
    <>
      <Card
        title="Delete this organization"
        description="Schedules stop and members lose access. It can be recovered for 30 days."
        actions={
          <Button icon="trash" variant="quiet-danger" disabledReason={reason} onClick={() => setOpen(true)}>
            Delete organization…
          </Button>
        }
      />
      <ConfirmDialog
        open={isOpen}
        onClose={() => {
          setOpen(false);
          setForced(false);
          setDeletesData(false);
          setCancels(false);
        }}
        title={`Delete ${name}?`}
        typed={name}
        action={isForced ? 'Delete for good' : 'Delete organization'}
        mutation={remove}
        advice={adviceFor(remove.error, cancels)}
        onConfirm={confirm}
      >
        <div className="stack">
          <p>
            {formatPlural(statistics.projectCount, 'project')} and {formatPlural(statistics.backupCount, 'backup')} are no longer
            reachable here, and all schedules stop.{' '}
            {isForced
              ? 'This cannot be undone.'
              : 'You can recover the organization for 30 days. The objects in your buckets stay.'}
          </p>
          <Checkbox
            label="Delete for good now, without the 30 days"
            checked={isForced}
            onChange={({ target }) => setForced(target.checked)}
          />
          {isForced && (
            <Checkbox
              label="Also delete the backups from the buckets"
              hint="Otherwise the objects stay in your buckets and can be read with the archive reader."
              checked={deletesData}
              onChange={({ target }) => setDeletesData(target.checked)}
            />
          )}
          <Checkbox
            label="Cancel running jobs first"
            hint={`Otherwise the organization is not deleted while backups, restores or restore tests run. What a restore has written stays${isForced ? ' and cannot be undone.' : '; it can be undone after a recovery.'}`}
            checked={cancels}
            onChange={({ target }) => setCancels(target.checked)}
          />
        </div>
      </ConfirmDialog>
    </>
  );
};
