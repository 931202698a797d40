import type { ReactNode } from 'react';
import { type Project, useProjects } from '../../data/projects.ts';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';

interface NeedsProjectsProps {
  /** Why a project is needed first. */
  readonly why: string;
  readonly children: (projects: readonly Project[]) => ReactNode;
}

/** A form that needs a project to begin with. */
export const NeedsProjects = ({ why, children }: NeedsProjectsProps) => {
  const { items: projects, query } = useProjects();
  if (query.error && !projects) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  if (!projects) return <SkeletonText lines={5} />;
  if (projects.length > 0) return children(projects);
  return (
    <Card>
      <EmptyState
        icon="database"
        title="Connect a project first"
        actions={<ButtonLink to={paths.connectProject}>Connect a project</ButtonLink>}
      >
        {why}
      </EmptyState>
    </Card>
  );
};
