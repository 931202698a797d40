import { formatWords } from '../../data/export/export-words.ts';
import type { ExportPlan } from '../../data/export/exports.ts';
import { formatAboutUsd, formatBytes, formatCount, formatPlural } from '../../format/format-number.ts';
import { PartialNotice, UnknownCollections } from '../../parts/missing-names.tsx';
import { Card } from '../../ui/data/card.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Time } from '../../ui/data/time.tsx';

/** What the export would write: how much, where, what it costs and what it leaves out. */
export const ExportPlanCard = ({ plan, rules }: { readonly plan: ExportPlan; readonly rules: number }) => {
  const { documents, bytes, files, format, storageDestination, pointInTime, partial, cost } = plan;
  return (
    <Card title="Plan">
      <div className="stack" role="status">
        <ul className="plan__counts" aria-label="What will be written">
          <Count value={formatCount(documents)} label={documents === 1 ? 'document' : 'documents'} />
          <Count value={formatBytes(bytes)} label="of documents" />
          <Count value={formatCount(files)} label={files === 1 ? 'file, about' : 'files, about'} />
        </ul>
        {documents === 0 && (
          <Notice tone="warn" title="There is nothing to export">
            The source has no documents in this scope. Check the names of the collections.
          </Notice>
        )}
        <UnknownCollections
          names={plan.unknownCollections}
          count={plan.unknownCollectionsCount}
          consequence={plan.unknownCollectionsCount === 1 ? 'It is not exported.' : 'They are not exported.'}
        />
        {partial && <PartialNotice partial={partial} />}
        <p>
          As {formatWords[format].name} into <strong className="wrap-anywhere">{storageDestination.name}</strong>
          {pointInTime !== null && (
            <>
              . The backup of <Time at={pointInTime} seconds /> is built first; the numbers are those of its base
            </>
          )}
          . {rules === 0 ? 'Nothing is masked.' : `${formatPlural(rules, 'rule masks', 'rules mask')} data.`} Erased documents are
          left out.
        </p>
        <p className="small muted">
          The files may be larger or smaller than the documents.{' '}
          {cost.reads === 0
            ? 'Google bills no reads, because the database is not read.'
            : `It costs ${formatAboutUsd(cost.estimatedUsd)} at Google’s list prices: ${formatPlural(cost.reads, 'read')}.`}{' '}
          Requests to the bucket are on the bill of its owner.
        </p>
      </div>
    </Card>
  );
};

const Count = ({ value, label }: { readonly value: string; readonly label: string }) => (
  <li className="plan__count">
    <span className="plan__number number">{value}</span>
    <span className="plan__label">{label}</span>
  </li>
);
