import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Backup } from '../../../data/backups.ts';
import { formatCount, formatPlural } from '../../../format/format-number.ts';
import { paths } from '../../../paths.ts';
import { Card } from '../../../ui/data/card.tsx';
import { EmptyState } from '../../../ui/data/empty-state.tsx';
import { Button } from '../../../ui/form/button.tsx';

const shownFirst = 12;

/** Counts by collection id, the largest first; collections of the same name at different places count together. */
export const CollectionsCard = ({ backup: { id, collectionCounts } }: { readonly backup: Backup }) => {
  const [isWhole, setWhole] = useState(false);
  const counts = Object.entries(collectionCounts).sort(([, a], [, b]) => b - a);
  const most = counts[0]?.[1] ?? 1;
  if (counts.length === 0)
    return (
      <Card>
        <EmptyState icon="folder" title="No documents">
          The database had no documents in these collections when the backup was taken.
        </EmptyState>
      </Card>
    );
  return (
    <Card
      title={formatPlural(counts.length, 'collection')}
      description="By name; collections of the same name at different places count together."
      actions={<Link to={paths.backup(id, 'browse')}>Browse</Link>}
    >
      <ul className="stack stack--medium backup__collections">
        {counts.slice(0, isWhole ? counts.length : shownFirst).map(([name, count]) => (
          <li key={name}>
            <code className="wrap-anywhere">{name}</code>
            <span className="number">{formatCount(count)}</span>
            <span className="backup__bar" style={{ width: `${Math.max(0.5, (count / most) * 100)}%` }} aria-hidden="true" />
          </li>
        ))}
      </ul>
      {counts.length > shownFirst && !isWhole && (
        <Button size="small" variant="quiet" onClick={() => setWhole(true)}>
          Show all {formatCount(counts.length)}
        </Button>
      )}
    </Card>
  );
};
