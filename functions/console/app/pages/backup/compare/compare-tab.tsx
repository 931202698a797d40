import { useState } from 'react';
import { usePermission } from '../../../api/permission.ts';
import { type Backup, useBackup, useBackups } from '../../../data/backups.ts';
import { SkeletonText } from '../../../ui/data/skeleton.tsx';
import { useParam } from '../../../use-param.ts';
import { useSearchParams } from '../../../use-search.ts';
import { NotReadable } from '../not-readable.tsx';
import { CompareForm } from './compare-form.tsx';
import { CompareResult } from './compare-result.tsx';

export const CompareTab = () => {
  const { data: backup } = useBackup(useParam('backupId'));
  if (!backup) return <SkeletonText lines={4} />;
  if (backup.status !== 'completed') return <NotReadable status={backup.status} />;
  return <Compare backup={backup} />;
};

const Compare = ({ backup }: { readonly backup: Backup }) => {
  const [{ against }, setSearch] = useSearchParams();
  const { reason } = usePermission('member');
  const { items } = useBackups({ projectId: backup.projectId, status: 'completed', limit: 100 });
  // Counts the comparisons of this visit. A comparison with the live database is billed, so an address alone does not start it.
  const [run, setRun] = useState(0);
  const others = items?.filter(({ id }) => id !== backup.id);
  const other = others?.find(({ id }) => id === against);
  const isStarted = against === 'live' ? run > 0 && reason === undefined : other !== undefined;
  return (
    <div className="stack">
      <CompareForm
        key={against ?? ''}
        backup={backup}
        others={others}
        against={against}
        liveReason={reason}
        isStarted={isStarted}
        onCompare={(to) => {
          setRun(run + 1);
          setSearch({ against: to });
        }}
      />
      {isStarted && <CompareResult key={`${against} ${run}`} backup={backup} other={other} run={run} />}
    </div>
  );
};
