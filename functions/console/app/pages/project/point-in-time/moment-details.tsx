import { Link } from '@tanstack/react-router';
import { usePermission } from '../../../api/permission.ts';
import type { PitrWindows } from '../../../data/projects.ts';
import { formatCount, formatPlural } from '../../../format/format-number.ts';
import { formatSecond } from '../../../format/format-time.ts';
import { paths } from '../../../paths.ts';
import { Notice } from '../../../ui/data/notice.tsx';
import { TextWithTimes } from '../../../ui/data/text-with-times.tsx';
import { Button } from '../../../ui/form/button.tsx';
import { ButtonLink } from '../../../ui/form/button-link.tsx';
import { type Coverage, type MomentState, stateAt } from './coverage.ts';

interface MomentDetailsProps {
  readonly projectId: string;
  readonly coverage: Coverage;
  readonly collections: PitrWindows['collections'];
  /** Set if the timeline shows one collection only. */
  readonly collection: string | undefined;
  readonly at: number;
  readonly onPick: (at: number) => void;
}

/** What a restore of the picked moment would contain, and the way to it. */
export const MomentDetails = ({ projectId, coverage, collections, collection, at, onPick }: MomentDetailsProps) => {
  const state = stateAt(coverage, at);
  const { reason } = usePermission('member');
  const missing = state.kind === 'none' ? 'Nothing can be restored to this moment' : undefined;
  return (
    <div className="stack" aria-live="polite">
      <Summary state={state} collection={collection} collections={collections} />
      {state.kind === 'none' && <Nearest state={state} onPick={onPick} />}
      {state.kind !== 'none' && <CollectionNames state={state} collections={collections} collection={collection} />}
      <div className="row">
        <ButtonLink
          variant="primary"
          icon="undo"
          disabledReason={reason ?? missing}
          to={paths.restoreWizard({
            projectId,
            at: new Date(at).toISOString(),
            ...(collection !== undefined && { collections: [collection] }),
          })}
        >
          Restore to this moment…
        </ButtonLink>
        <ButtonLink
          icon="download"
          disabledReason={reason ?? missing}
          to={paths.newExport({
            projectId,
            pointInTime: new Date(at).toISOString(),
            ...(collection !== undefined && { collections: [collection] }),
          })}
        >
          Export…
        </ButtonLink>
        <span className="small muted">Next you see the plan, before anything is written.</span>
      </div>
      <p className="small secondary">
        Only one document, or unsure when it happened?{' '}
        <Link to={paths.findDocument({ projectId })}>See what was deleted lately</Link>, or find it by its name.
      </p>
    </div>
  );
};

interface SummaryProps {
  readonly state: MomentState;
  readonly collections: PitrWindows['collections'];
  readonly collection: string | undefined;
}

const Summary = ({ state, collections, collection }: SummaryProps) => {
  const { kind, window, gaps, isSampled } = state;
  const list = (window?.isInterval || gaps.length > 0) && (
    <ul>
      {window?.isInterval && <li>Not every second is known here: a restore takes the last capture before this moment.</li>}
      {gaps.map(({ from, reason, collections: affected, count }) => (
        <li key={`${from} ${reason}`}>
          <TextWithTimes text={reason} />
          {affected && affected.length > 0 && <>. Affected: {namesOf(affected, count)}</>}.
        </li>
      ))}
    </ul>
  );
  const isLimited = window?.isInterval;
  const covered = collection ? `${collection} is complete` : 'Everything is covered';
  if (kind === 'complete')
    return (
      <Notice tone={isLimited ? 'warn' : 'good'} title={isLimited ? 'Covered, with limits' : covered}>
        {!collection && completeWords(collections.count)}
        {list}
      </Notice>
    );
  if (kind !== 'none' && isSampled)
    return (
      <Notice tone="warn" title="Not proven: capturing was interrupted">
        Documents that were created and deleted within the interruption may be missing. Choose another moment, or allow a partial
        restore in the next step.
        {list}
      </Notice>
    );
  if (kind === 'partial')
    return (
      <Notice tone="warn" title="Partly covered">
        {window?.count === null || window?.count === undefined
          ? 'Only some collections are proven complete.'
          : `${formatPlural(window.count, 'collection is', 'collections are')} proven complete; there may be others.`}{' '}
        Restore these by name, or allow a partial restore in the next step.
        {list}
      </Notice>
    );
  return (
    <Notice tone="bad" title="Nothing can be restored to this moment">
      {list || 'No changes are stored for it: it is before the first capture, or not captured yet.'}
    </Notice>
  );
};

const completeWords = (count: number): string => {
  if (count === 0) return 'The database had no collections at this second.';
  return count === 1
    ? 'Its collection is proven complete at this second.'
    : `All ${formatCount(count)} collections are proven complete at this second.`;
};

const Nearest = ({
  state: { before, after },
  onPick,
}: {
  readonly state: MomentState;
  readonly onPick: (at: number) => void;
}) => (
  <div className="row">
    {before !== undefined && <Button onClick={() => onPick(before)}>Last moment before: {formatSecond(new Date(before))}</Button>}
    {after !== undefined && <Button onClick={() => onPick(after)}>First moment after: {formatSecond(new Date(after))}</Button>}
  </div>
);

/** Names the complete ones of a partial window, else the captured ones. */
const CollectionNames = ({ state: { window, kind }, collections, collection }: SummaryProps) => {
  if (collection !== undefined) return null;
  const names = kind === 'partial' ? (window?.collections ?? []) : collections.ids;
  const count = kind === 'partial' ? (window?.count ?? null) : collections.count;
  if (names.length === 0) return null;
  return (
    <details className="names">
      <summary>
        {kind === 'partial' ? 'Complete collections' : 'Collections'}
        {count !== null && ` (${formatCount(count)})`}
      </summary>
      <p className="wrap-anywhere">{namesOf(names, count)}</p>
    </details>
  );
};

const namesOf = (names: readonly string[], count: number | null): string => {
  const more = (count ?? names.length) - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${formatCount(more)} more` : ''}`;
};
