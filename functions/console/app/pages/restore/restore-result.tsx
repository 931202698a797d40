import { isRestoreActive, type Restore } from '../../data/restores.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { PathList } from '../../parts/path-list.tsx';
import { Card } from '../../ui/data/card.tsx';

/** What was done; of a plan, what would be done. */
export const RestoreResult = ({ restore }: { readonly restore: Restore }) => {
  const { plan, dryRun, authUsers, status } = restore;
  if (isRestoreActive(restore) && !plan) return null;
  if (dryRun && !plan) return null;
  const counts = dryRun && plan ? planCounts(plan) : resultCounts(restore);
  // A restore that ended before it wrote anything says so above.
  if (!dryRun && (status === 'failed' || status === 'cancelled') && !plan && counts.every(([, value]) => value === 0))
    return null;
  return (
    <Card title={dryRun ? 'What it would do' : status === 'completed' ? 'What it did' : 'What it has done so far'}>
      <div className="stack">
        <dl className="restore__counts">
          {counts.map(([label, value, isBad]) => (
            <div
              key={label}
              className={`restore__count${value === 0 ? ' restore__count--none' : isBad ? ' restore__count--bad' : ''}`}
            >
              <dt>{label}</dt>
              <dd className="plan__number number">{formatCount(value)}</dd>
            </div>
          ))}
        </dl>
        {plan?.deletions && plan.deletions.length > 0 && (
          <details className="restore__deleted">
            <summary>
              {dryRun ? 'Documents that it would delete' : 'Documents that the plan deletes'} (
              {formatCount(Math.max(plan.delete, plan.deletions.length))})
            </summary>
            <PathList paths={plan.deletions} total={Math.max(plan.delete, plan.deletions.length)} />
          </details>
        )}
        {authUsers && (
          <p className="secondary">
            Users of Firebase Authentication: {formatPlural(authUsers.restored, 'user')} restored,{' '}
            {formatCount(authUsers.deleted)} deleted, {formatCount(authUsers.skipped)} skipped, {formatCount(authUsers.failed)}{' '}
            failed.
          </p>
        )}
      </div>
    </Card>
  );
};

type Counts = readonly (readonly [label: string, value: number, isBad?: boolean])[];

const planCounts = ({ create, overwrite, skip, unchanged, delete: deleted }: NonNullable<Restore['plan']>): Counts => [
  ['Create', create],
  ['Replace', overwrite],
  ['Delete', deleted, true],
  ['Keep', skip],
  ['Already equal', unchanged],
];

const resultCounts = (restore: Restore): Counts => [
  ['Written', restore.documentsRestored - restore.documentsUnchanged],
  ['Deleted', restore.documentsDeleted, true],
  ['Already equal', restore.documentsUnchanged],
  ['Skipped', restore.documentsSkipped],
  ['Erased, left out', restore.documentsErased],
  ['Failed', restore.documentsFailed, true],
];
