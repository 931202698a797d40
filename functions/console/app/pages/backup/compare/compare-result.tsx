import { useState } from 'react';
import { type Diff, useDiff } from '../../../data/backup-contents.ts';
import type { Backup } from '../../../data/backups.ts';
import { formatAboutUsd, formatCount, formatPlural } from '../../../format/format-number.ts';
import { Card } from '../../../ui/data/card.tsx';
import { EmptyState } from '../../../ui/data/empty-state.tsx';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { LoadMore } from '../../../ui/data/load-more.tsx';
import { Progress } from '../../../ui/data/progress.tsx';
import { Time } from '../../../ui/data/time.tsx';
import { ChangeList } from './change-list.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { type ChangeKind, momentOf, type Sides, sidesOf } from './sides.ts';

interface CompareResultProps {
  readonly backup: Backup;
  /** Undefined for the live database. */
  readonly other: Backup | undefined;
  readonly run: number;
}

export const CompareResult = ({ backup, other, run }: CompareResultProps) => {
  const sides = sidesOf(backup, other);
  const { query, changes, latest } = useDiff(sides, run, true);
  const [kind, setKind] = useState<ChangeKind | undefined>();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  if (query.error && !changes)
    return <ErrorNotice error={query.error} title="The comparison failed" onRetry={() => void query.refetch()} />;
  if (!changes || !latest)
    return (
      <Card>
        <div className="stack" role="status">
          <p>{other ? 'Comparing the two backups…' : 'Reading the live database and comparing…'}</p>
          <Progress label="Comparison" percent={undefined} />
        </div>
      </Card>
    );
  const { counts } = latest;
  const isSame = counts.added + counts.changed + counts.removed === 0 && latest.complete;
  return (
    <Card
      flush
      title={isSame ? 'No differences' : 'Differences'}
      description={<Direction backup={backup} other={other} sides={sides} />}
    >
      <Counts latest={latest} kind={kind} onKind={setKind} />
      {isSame ? (
        <EmptyState icon="checkCircle" title="Both sides are the same">
          {formatPlural(counts.unchanged, 'document')} compared, field by field.
        </EmptyState>
      ) : (
        <>
          <SelectionBar backup={backup} changes={changes} sides={sides} selected={selected} onSelect={setSelected} />
          <ChangeList
            changes={kind ? changes.filter(({ change }) => change === kind) : changes}
            sides={sides}
            run={run}
            selected={selected}
            onSelect={setSelected}
            isComplete={!query.hasNextPage}
          />
        </>
      )}
      <LoadMore query={query} label={latest.complete ? 'Load more' : 'Go on comparing'} />
      {latest.cost && (
        <p className="compare__cost small muted">
          {formatPlural(latest.cost.reads, 'read')} of the live database so far; Google bills{' '}
          {formatAboutUsd(latest.cost.estimatedUsd)}.
        </p>
      )}
    </Card>
  );
};

const Direction = ({ backup, other, sides }: Pick<CompareResultProps, 'backup' | 'other'> & { readonly sides: Sides }) => {
  const isForward = sides.self === 'before';
  const self = (
    <>
      this backup (<Time at={momentOf(backup)} />)
    </>
  );
  const that = other ? (
    <>
      the backup of <Time at={momentOf(other)} />
    </>
  ) : (
    'the live database now'
  );
  return (
    <>
      What happened from {isForward ? self : that} to {isForward ? that : self}.
    </>
  );
};

const kinds = [
  ['added', 'Added'],
  ['changed', 'Changed'],
  ['removed', 'Removed'],
] as const;

interface CountsProps {
  readonly latest: Diff;
  readonly kind: ChangeKind | undefined;
  readonly onKind: (kind: ChangeKind | undefined) => void;
}

/** The counts; each but the last shows only its documents. */
const Counts = ({ latest: { counts, complete }, kind, onKind }: CountsProps) => (
  <div className="compare__counts">
    {kinds.map(([name, word]) => (
      <button
        key={name}
        type="button"
        className={`compare__tile compare__tile--${name}`}
        aria-pressed={kind === name}
        onClick={() => onKind(kind === name ? undefined : name)}
      >
        <span className="compare__number number">
          {formatCount(counts[name])}
          {!complete && '+'}
        </span>
        {word}
      </button>
    ))}
    <div className="compare__tile">
      <span className="compare__number number">
        {formatCount(counts.unchanged)}
        {!complete && '+'}
      </span>
      Unchanged
    </div>
  </div>
);
