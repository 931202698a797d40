import { Link } from '@tanstack/react-router';
import { useProjectState } from '../../data/overview.ts';
import { formatBytes, formatCount } from '../../format/format-number.ts';
import { AttentionList } from '../../parts/attention-list.tsx';
import { LastBackup, NextRun, PointInTime, Proven, Verified } from '../../parts/project/project-state.tsx';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { None } from '../../ui/data/none.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';

/** How the project is protected, and what to do about it. Lost access has a notice of its own. */
export const ProjectSummary = ({ projectId }: { readonly projectId: string }) => {
  const { state, attention, query } = useProjectState(projectId);
  if (query.error && !state)
    return (
      <div className="project__notice">
        <ErrorNotice
          error={query.error}
          title="The protection of this project could not be loaded"
          onRetry={() => void query.refetch()}
        />
      </div>
    );
  return (
    <div className="stack project__summary">
      <Card>
        {state ? (
          <dl className="facts project__facts">
            <Fact label="Last good backup">
              <LastBackup {...state} />
            </Fact>
            <Fact label="Documents in it">
              {state.lastGoodBackup ? (
                <>
                  {formatCount(state.lastGoodBackup.documents)}
                  <div className="small muted">{formatBytes(state.lastGoodBackup.size)}</div>
                </>
              ) : (
                <None />
              )}
            </Fact>
            <Fact label="Verified">
              <Verified {...state} />
            </Fact>
            <Fact label="Proven by a restore test">
              <Proven {...state} />
              {!state.lastRestoreTest && state.lastGoodBackup && (
                <div className="small">
                  <Link to={paths.newRestoreTest}>Plan a restore test</Link>
                </div>
              )}
            </Fact>
            <Fact label="Point in time">
              <PointInTime {...state} />
            </Fact>
            <Fact label="Next run">
              <NextRun {...state} />
            </Fact>
          </dl>
        ) : (
          <Skeleton height="3.6rem" />
        )}
      </Card>
      <AttentionList title="Needs attention" attention={attention.filter(({ kind }) => kind !== 'PROJECT_UNAUTHORIZED')} />
    </div>
  );
};
