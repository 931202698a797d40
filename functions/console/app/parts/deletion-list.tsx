import { type ConfirmedDeletions, newDeletions } from '../data/confirmed-deletions.ts';
import { formatCount, formatPlural } from '../format/format-number.ts';
import { Icon } from '../ui/icon.tsx';
import { PathList } from './path-list.tsx';

interface DeletionListProps {
  readonly paths: readonly string[];
  /** More than `paths` if only the first are listed. */
  readonly total: number;
  readonly targetName: string;
  /** What was confirmed before the target has changed. */
  readonly confirmed?: ConfirmedDeletions | undefined;
  /** What keeps other documents safe. */
  readonly promise?: string;
}

const stopsBefore = 'If other documents would be deleted when it begins, it stops before it writes anything.';

/** Everything that a restore deletes, in red, with what is new since an earlier confirmation. */
export const DeletionList = ({ paths, total, targetName, confirmed, promise = stopsBefore }: DeletionListProps) => {
  const added = newDeletions(paths, confirmed);
  return (
    <section className="stack stack--tight plan__deletions" aria-label="Documents that will be deleted">
      <h3>
        <Icon name="trash" /> {formatPlural(total, 'document')} of {targetName} will be deleted
      </h3>
      {confirmed && <p>{changeWords(total, confirmed, added)}</p>}
      <PathList paths={paths} total={total} added={added} />
      <p className="small">{promise}</p>
    </section>
  );
};

const changeWords = (total: number, confirmed: ConfirmedDeletions, added: ReadonlySet<string> | undefined): string => {
  if (added === undefined || total > confirmed.total + added.size)
    return `You had confirmed ${formatPlural(confirmed.total, 'deletion')}; now there are ${formatCount(total)}.`;
  if (added.size === 0) return `${total === 1 ? 'It was' : 'All of them were'} part of the plan that you had confirmed.`;
  return `${formatCount(added.size)} of them ${added.size === 1 ? 'is' : 'are'} new since you confirmed.`;
};
