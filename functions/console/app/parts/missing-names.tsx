import type { Plan, Restore } from '../data/restores.ts';
import { formatPlural } from '../format/format-number.ts';
import { Notice } from '../ui/data/notice.tsx';
import { TextWithTimes } from '../ui/data/text-with-times.tsx';
import { Time } from '../ui/data/time.tsx';
import { PathList } from './path-list.tsx';

/** Requested names that the backup does not have. */
export const MissingNames = ({ names }: { readonly names: Plan['missing'] | Restore }) => {
  const { notFound, notFoundCount, unknownCollections, unknownCollectionsCount, documentsErased } = names;
  const isErasedPossible = documentsErased > 0;
  return (
    <>
      <UnknownCollections
        names={unknownCollections}
        count={unknownCollectionsCount}
        consequence={notRestored(unknownCollectionsCount)}
      />
      {notFoundCount > 0 && (
        <Notice
          tone="warn"
          title={`${formatPlural(notFoundCount, 'document')} not found in the backup${isErasedPossible ? ', or erased' : ''}`}
        >
          {notRestored(notFoundCount)}{' '}
          {isErasedPossible
            ? 'An erased document is hidden in every backup. For others, check the spelling, or choose an older backup.'
            : 'Check the spelling, or choose an older backup.'}
          <PathList paths={notFound} total={notFoundCount} />
        </Notice>
      )}
    </>
  );
};

const notRestored = (count: number): string => (count === 1 ? 'It is not restored.' : 'They are not restored.');

interface UnknownCollectionsProps {
  readonly names: readonly string[];
  /** How many there are, if `names` has only the first. */
  readonly count: number;
  readonly consequence: string;
}

/** Requested collections that the backup does not have. */
export const UnknownCollections = ({ names, count, consequence }: UnknownCollectionsProps) =>
  count > 0 && (
    <Notice tone="warn" title={`${formatPlural(count, 'collection')} not found in the backup`}>
      {consequence} Check the spelling, or choose an older backup.
      <PathList paths={names} total={count} />
    </Notice>
  );

/** What a point-in-time restore lacks because it was allowed to be partial. */
export const PartialNotice = ({ partial }: { readonly partial: NonNullable<Restore['partial']> }) => (
  <Notice tone="warn" title="Not everything is proven for this point in time">
    <TextWithTimes text={partial.reason} />.{' '}
    {partial.sampled
      ? 'Documents that were created and deleted within that time may be missing.'
      : partial.collections.length === 0
        ? 'Which collections lack changes is not known.'
        : 'Changes of these collections are missing: their documents may be older than that.'}
    <PathList paths={partial.collections} total={partial.count ?? partial.collections.length} />
    {!partial.complete && partial.collections.length > 0 && <p className="small">There may be others.</p>}
  </Notice>
);

/** An audit found differences in a time that includes the moment. */
export const DivergedNotice = ({ diverged }: { readonly diverged: NonNullable<Restore['diverged']> }) => (
  <Notice tone="warn" title="Documents of this point in time may differ from what the database had">
    The audit of <Time at={diverged.to} /> found {formatPlural(diverged.documentCount, 'document')} that differed from what was
    captured since <Time at={diverged.from} />. A later moment, or a backup that has read the database, is exact. These
    collections are affected:
    <PathList paths={diverged.collections} total={diverged.collectionCount} />
  </Notice>
);
