import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useLastGoodBackup } from '../../../data/backups.ts';
import { formatPlural } from '../../../format/format-number.ts';
import { formatMoment } from '../../../format/format-time.ts';
import { paths } from '../../../paths.ts';
import { Time } from '../../../ui/data/time.tsx';

interface LastGoodProps {
  readonly projectId: string;
  /** What it means that there is none. */
  readonly children: ReactNode;
}

/** The data is as safe as the last good backup. */
export const LastGood = ({ projectId, children }: LastGoodProps) => {
  const { data: last, isPending } = useLastGoodBackup(projectId);
  if (isPending) return <p className="muted">Looking for the last good backup…</p>;
  if (!last)
    return (
      <p>
        <strong>There is no good backup of this project.</strong> {children}
      </p>
    );
  const { id, readTime, createdAt, documentCount, verification, verifiedAt } = last;
  return (
    <p>
      <strong>
        The last good backup, <Link to={paths.backup(id)}>of {formatMoment(new Date(readTime ?? createdAt))}</Link>, is not
        affected.
      </strong>{' '}
      It has {formatPlural(documentCount, 'document')}.{' '}
      {verification?.status === 'failed' ? (
        'Its last verification found damage: verify it, and keep an earlier one.'
      ) : verifiedAt ? (
        <>
          It was verified <Time at={verifiedAt} relative /> and is intact.
        </>
      ) : (
        'Every byte was checked when it was stored; it has not been verified since.'
      )}
    </p>
  );
};
