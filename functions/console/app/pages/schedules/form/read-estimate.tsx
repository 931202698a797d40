import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type Project, useProjectReads } from '../../../data/projects.ts';
import { formatAboutUsd, formatPlural } from '../../../format/format-number.ts';
import { cronOf } from '../../../forms/cron/cron-choice.ts';
import { upcomingRuns } from '../../../forms/cron/upcoming-runs.ts';
import { paths } from '../../../paths.ts';
import type { Draft } from './draft.ts';

interface ReadEstimateProps {
  readonly project: Project;
  readonly draft: Draft;
}

const monthMs = 30 * 86_400_000;
/** Five minutes apart, as often as a schedule may run. */
const runsOfMonthMax = monthMs / 300_000;

/** What the runs of a month read, and what Google bills for it. Says nothing where that is not known. */
export const ReadEstimate = ({ project, draft: { choice, timezone, scope, source } }: ReadEstimateProps) => {
  const { data } = useProjectReads(project.id);
  const cron = cronOf(choice);
  const runs = useMemo(() => runsOfMonth(cron, timezone), [cron, timezone]);
  const isBuilt = project.pitr.enabled && source === 'auto';
  if (!data || data.documents === null || data.readPrice.unit !== 'document' || runs === 0 || isBuilt) return null;
  const usd = (data.documents * data.readPrice.usdPerMillion) / 1e6;
  return (
    <p className="small secondary">
      A run reads {scope === 'all' ? 'about' : 'at most'} {formatPlural(data.documents, 'document')}, for which Google bills{' '}
      {formatAboutUsd(usd)}: {formatAboutUsd(usd * runs)} for {formatPlural(runs, 'run')} in 30 days.{' '}
      <Link to={paths.project(project.id, 'reads')}>What is read a day</Link>
    </p>
  );
};

const runsOfMonth = (cron: string, timezone: string): number => {
  const after = new Date();
  const until = new Date(after.getTime() + monthMs);
  return upcomingRuns(cron, { timezone, after, until, count: runsOfMonthMax }).runs.length;
};
