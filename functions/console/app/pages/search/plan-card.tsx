import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import type { FoundInParts } from '../../../../../shared/client/index.ts';
import type { PlannedSearch } from '../../data/search.ts';
import { formatAboutUsd, formatBytes, formatCount, formatPlural } from '../../format/format-number.ts';
import { formatDuration } from '../../format/format-time.ts';
import { paths } from '../../paths.ts';
import { Badge } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { Time } from '../../ui/data/time.tsx';
import { searchTimeMs } from './search-time.ts';

interface PlanCardProps {
  readonly planned: PlannedSearch;
  /** What the search has read, once it has ended. */
  readonly scanned: FoundInParts['scanned'] | undefined;
  /** Below the facts, such as how far the search is. */
  readonly children?: ReactNode;
}

/** What a search reads, takes and costs, and whether the index helps: shown before it begins and beside what it finds. */
export const PlanCard = ({ planned, scanned, children }: PlanCardProps) => {
  const { plan, kind, backupId, readTime } = planned;
  const unit = kind === 'id' ? 'name' : 'document';
  return (
    <Card title="What is read">
      <div className="stack">
        <dl className="facts">
          <Fact label="From">
            <Link to={paths.backup(backupId)}>
              {readTime === null ? (
                'A backup'
              ) : (
                <>
                  The backup of <Time at={readTime} />
                </>
              )}
            </Link>
          </Fact>
          {kind !== 'path' && (
            <Fact label="Index">{plan.indexed ? <Badge tone="good">Used</Badge> : <Badge tone="neutral">Not used</Badge>}</Fact>
          )}
          <Fact label="To read">
            <Amount
              text={kind === 'path' ? 'One document' : `${formatCount(plan.documents)} of ${formatPlural(plan.total, unit)}`}
              bytes={plan.bytes}
            />
          </Fact>
          <Fact label="Takes">
            about {formatDuration(searchTimeMs(plan))}
            <span className="small muted search__more">
              {plan.estimatedUsd === 0 ? 'at no cost' : `${formatAboutUsd(plan.estimatedUsd)} on AWS`}
            </span>
          </Fact>
          <Fact label="Was read">
            {scanned ? <Amount text={formatPlural(scanned.documents, unit)} bytes={scanned.bytes} /> : 'Nothing yet'}
          </Fact>
        </dl>
        <IndexNote planned={planned} />
        {children}
      </div>
    </Card>
  );
};

const Amount = ({ text, bytes }: { readonly text: string; readonly bytes: number }) => (
  <span className="number">
    {text}
    {bytes > 0 && <span className="small muted search__more">{formatBytes(bytes)}</span>}
  </span>
);

/** Why the index helps, or what would make it help the next searches. */
const IndexNote = ({ planned: { plan, kind, projectId } }: { readonly planned: PlannedSearch }) => {
  const unnamed = plan.fields.filter(({ named }) => !named).map(({ path }) => path);
  if (kind === 'path') return null;
  if (unnamed.length > 0)
    return (
      <p className="small secondary wrap-anywhere">
        The project does not name <Names of={unnamed} /> as {unnamed.length === 1 ? 'a field' : 'fields'} to search by:{' '}
        <Link to={paths.nameSearchFields(projectId, unnamed)}>name {unnamed.length === 1 ? 'it' : 'them'} in its settings</Link>,
        and an index in the next backups rules out most documents.
      </p>
    );
  if (plan.indexed)
    return (
      <p className="small secondary">
        The index rules out {formatCount(plan.total - plan.documents)} of {formatPlural(plan.total, 'document')} without reading
        them.
      </p>
    );
  if (plan.fields.length > 0)
    return (
      <p className="small secondary wrap-anywhere">
        This backup has no index of <Names of={plan.fields.map(({ path }) => path)} />: it was made before the project named{' '}
        {plan.fields.length === 1 ? 'the field' : 'the fields'}, or it is too small for one.
      </p>
    );
  if (kind === 'values') return <p className="small secondary">An index helps conditions with == only.</p>;
  return null;
};

const Names = ({ of }: { readonly of: readonly string[] }) =>
  of.map((name, n) => (
    <Fragment key={name}>
      {n > 0 && (n === of.length - 1 ? ' and ' : ', ')}
      <code>{name}</code>
    </Fragment>
  ));
