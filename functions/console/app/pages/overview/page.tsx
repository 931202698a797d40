import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { AttentionList } from '../../parts/attention-list.tsx';
import { useFilteredOverview } from '../../parts/project/project-list.tsx';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { FailedJobs } from './failed-jobs.tsx';
import { FindCard } from './find-card.tsx';
import { ProtectedProjects } from './protected-projects.tsx';
import { Summary } from './summary.tsx';

/** Loaded after the page shows: the charts are half of its script. */
const History = lazy(() => import('./history.tsx').then(({ History: component }) => ({ default: component })));

export const OverviewPage = () => {
  const list = useFilteredOverview();
  const { first: overview } = list;
  const { error, refetch } = list.query;
  const { reason } = usePermission('member');
  const [hasHistory, setHasHistory] = useState(false);
  const isLoaded = overview !== undefined;
  // After the browser has shown the rest, so that the charts do not delay it.
  useEffect(() => {
    const frame = isLoaded ? requestAnimationFrame(() => setHasHistory(true)) : undefined;
    return () => void (frame !== undefined && cancelAnimationFrame(frame));
  }, [isLoaded]);
  return (
    <>
      <PageHeader
        title="Overview"
        actions={
          <ButtonLink to={paths.restoreWizard()} icon="undo" disabledReason={reason}>
            Restore…
          </ButtonLink>
        }
      />
      {error && !overview ? (
        <ErrorNotice error={error} title="The overview could not be loaded" onRetry={() => void refetch()} />
      ) : overview?.totals.projects === 0 ? (
        <NothingYet />
      ) : (
        <div className="overview">
          <Summary overview={overview} />
          {overview && <FindCard />}
          {overview && (
            <AttentionList
              title="Needs attention"
              actions={
                <Link to={paths.alerts} className="small">
                  Incidents and alerts
                </Link>
              }
              attention={overview.attention}
            />
          )}
          {overview?.history.days.some(({ backups }) => backups > 0) && (
            <Suspense fallback={<Skeleton height="15rem" />}>
              {hasHistory ? <History history={overview.history} /> : <Skeleton height="15rem" />}
            </Suspense>
          )}
          {/* Without a title: what comes first below is not known yet. */}
          {overview ? <ProtectedProjects overview={list} /> : <Skeleton height="20rem" />}
          {overview && overview.failedJobs.length > 0 && <FailedJobs jobs={overview.failedJobs} />}
        </div>
      )}
    </>
  );
};

const NothingYet = () => (
  <Card>
    <EmptyState
      icon="shield"
      title="Nothing is protected yet"
      actions={
        <ButtonLink to={paths.start} variant="primary">
          Set up the first backup
        </ButtonLink>
      }
    >
      Connect a Firestore project, choose where its backups go, and start the first one. It takes a few minutes.
    </EmptyState>
  </Card>
);
