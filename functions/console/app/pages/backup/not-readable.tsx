import { type Backup, isBackupRunning } from '../../data/backups.ts';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';

const reasonOf = (status: Backup['status']): string => {
  if (isBackupRunning(status)) return 'The backup is still running. Its documents can be read when it is completed.';
  if (status === 'failed') return 'The backup failed, so it has no documents to read.';
  if (status === 'cancelled') return 'The backup was cancelled, and what it had stored is deleted.';
  return 'The objects of this backup are deleted.';
};

/** In place of the contents of a backup that is not completed. */
export const NotReadable = ({ status }: Pick<Backup, 'status'>) => (
  <Card>
    <EmptyState icon="lock" title="Nothing to read">
      {reasonOf(status)}
    </EmptyState>
  </Card>
);
