import type { UseQueryResult } from '@tanstack/react-query';
import type { Estimate } from '../../data/backups.ts';
import { formatAboutUsd, formatBytes, formatCount } from '../../format/format-number.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { CaptureOfferNotice } from './capture-offer-notice.tsx';

interface EstimatePanelProps {
  readonly estimate: UseQueryResult<Estimate>;
  readonly isEstimating: boolean;
  readonly type: 'full' | 'incremental';
  readonly isReady: boolean;
  readonly projectId: string;
}

/** What the backup will read and cost, before it starts. */
export const EstimatePanel = ({ estimate, isEstimating, type, isReady, projectId }: EstimatePanelProps) => {
  const { data, error, refetch } = estimate;
  if (!isReady) return null;
  if (error && !isEstimating) return <ErrorNotice error={error} title="There is no estimate" onRetry={() => void refetch()} />;
  const { documents, bytes, reads, estimatedUsd, unknownCollections = [] } = data ?? {};
  const isKnown = documents !== null && documents !== undefined;
  const value = (text: string | undefined) =>
    isEstimating || !data ? <Skeleton width="4.5rem" height="1.2em" /> : (text ?? 'Unknown');
  return (
    <>
      <section className="stack stack--medium back-up__estimate" aria-label="Estimate" aria-busy={isEstimating}>
        <dl className="facts">
          <Fact label="Documents" className="number">
            {value(isKnown ? formatCount(documents) : undefined)}
          </Fact>
          <Fact label={type === 'full' ? 'Uncompressed data' : 'Changed data'} className="number">
            {value(bytes === null || bytes === undefined ? undefined : `about ${formatBytes(bytes)}`)}
          </Fact>
          <Fact label={data?.readUnit === 'read_unit' ? 'Read units of 4 KiB' : 'Firestore reads'} className="number">
            {value(reads === null || reads === undefined ? undefined : formatCount(reads))}
          </Fact>
          <Fact label="Google bills" className="number">
            {value(estimatedUsd === null || estimatedUsd === undefined ? undefined : formatAboutUsd(estimatedUsd))}
          </Fact>
        </dl>
        <p className="small muted">
          {data?.costIfRead &&
            `It is built from captured changes; reading everything would cost ${formatAboutUsd(data.costIfRead.estimatedUsd)}. `}
          Estimated from a count and a few sampled documents. Nothing has been stored yet.
        </p>
      </section>
      {!isEstimating && data?.builtFrom === 'source' && <CaptureOfferNotice projectId={projectId} />}
      {!isEstimating && unknownCollections.length > 0 && (
        <Notice tone="warn" title="Some collections do not exist">
          {unknownCollections.join(', ')}: the backup will have no documents of them.
        </Notice>
      )}
    </>
  );
};
