import { useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { type Project, usePitr, usePitrWindows, useProject } from '../../../data/projects.ts';
import { Card } from '../../../ui/data/card.tsx';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../../ui/data/skeleton.tsx';
import { Input } from '../../../ui/form/field.tsx';
import { useParam } from '../../../use-param.ts';
import { CapturedAnomaly } from './captured-anomaly.tsx';
import { coverageOf, latestOf } from './coverage.ts';
import { Legend } from './legend.tsx';
import { MomentDetails } from './moment-details.tsx';
import { PitrSummary } from './pitr-summary.tsx';
import { Timeline } from './timeline.tsx';
import { TimelineMoment } from './timeline-moment.tsx';

export const PointInTimeTab = () => {
  const projectId = useParam('projectId');
  const { data: project } = useProject(projectId);
  const { data: pitr, error, refetch } = usePitr(projectId);
  if (error && !pitr) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!pitr || !project) return <SkeletonText />;
  const hasMoments = pitr.latestRestorableAt !== null;
  return (
    <div className="stack">
      {pitr.anomaly && <CapturedAnomaly projectId={project.id} anomaly={pitr.anomaly} />}
      {hasMoments && <MomentCard project={project} isLive={pitr.enabled} />}
      <PitrSummary project={project} pitr={pitr} />
    </div>
  );
};

/** The timeline, the picked moment, and what it covers. The address keeps the moment, so that it can be shared. */
const MomentCard = ({ project, isLive }: { readonly project: Project; readonly isLive: boolean }) => {
  const [typed, setTyped] = useState('');
  const collection = useDeferredValue(typed.trim()) || undefined;
  const { data, error, dataUpdatedAt, refetch } = usePitrWindows(project.id, { collection, isLive });
  const coverage = useMemo(() => (data ? coverageOf(data, dataUpdatedAt) : undefined), [data, dataUpdatedAt]);
  const [picked, setPicked] = useMoment();
  const latest = coverage && latestOf(coverage);
  const at = picked ?? latest ?? coverage?.extent.to;
  return (
    <Card
      title="Pick a moment"
      description="Click or drag on the timeline; the wheel, two fingers or + and - zoom. The arrow keys move the moment, with Shift by a second."
    >
      <div className="stack">
        {error && <ErrorNotice error={error} title="The windows could not be loaded" onRetry={() => void refetch()} />}
        {!coverage || !data || at === undefined ? (
          <SkeletonText lines={4} />
        ) : (
          <>
            <Timeline coverage={coverage} at={at} onPick={setPicked} />
            <Legend coverage={coverage} />
            <div className="moment">
              <div className="stack">
                <TimelineMoment at={at} latest={latest} extent={coverage.extent} onPick={setPicked} />
                <Input
                  label="Only one collection"
                  optional
                  hint="Its id, such as users: where this collection is complete."
                  value={typed}
                  onChange={({ target }) => setTyped(target.value)}
                  list="captured-collections"
                  spellCheck={false}
                />
                <datalist id="captured-collections">
                  {data.collections.ids.map((id) => (
                    <option key={id} value={id} />
                  ))}
                </datalist>
              </div>
              <MomentDetails
                projectId={project.id}
                coverage={coverage}
                collections={data.collections}
                collection={collection}
                at={at}
                onPick={setPicked}
              />
            </div>
          </>
        )}
      </div>
    </Card>
  );
};

const addressDelayMs = 300;

const useMoment = (): readonly [number | undefined, (at: number) => void] => {
  const { at } = useSearch({ strict: false }) as { readonly at?: string };
  const [picked, setPicked] = useState<number | undefined>(() => {
    const given = Date.parse(at ?? '');
    return Number.isNaN(given) ? undefined : given;
  });
  const navigate = useNavigate();
  useEffect(() => {
    const next = picked === undefined ? undefined : new Date(picked).toISOString();
    if (next === undefined || next === at) return undefined;
    const search = (before: object): object => ({ ...before, at: next });
    const timer = setTimeout(
      () => void navigate({ to: '.', search: search as never, replace: true, resetScroll: false }),
      addressDelayMs,
    );
    return () => clearTimeout(timer);
  }, [picked, at, navigate]);
  return [picked, setPicked];
};
