import type { ReactNode } from 'react';
import type { ListResult } from '../../api/use-api.ts';
import type { Schedule } from '../../data/schedules.ts';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { LoadMore } from '../../ui/layout/load-more.tsx';
import { ScheduleTable } from './schedule-table.tsx';

interface ScheduleListProps {
  readonly label: string;
  readonly list: ListResult<Schedule>;
  readonly projectNames?: ReadonlyMap<string, string>;
  /** The way to a new schedule. */
  readonly create: ReactNode;
}

export const ScheduleList = ({ label, list: { items, query }, projectNames, create }: ScheduleListProps) =>
  query.error && !items ? (
    <ErrorNotice error={query.error} title="The schedules could not be loaded" onRetry={() => void query.refetch()} />
  ) : (
    <Card flush>
      {items?.length === 0 ? (
        <EmptyState icon="calendar" title="No schedules yet" actions={create}>
          A schedule keeps a project protected without anyone thinking of it: every night, every hour, or when you say.
        </EmptyState>
      ) : (
        <>
          <ScheduleTable label={label} schedules={items} {...(projectNames && { projectNames })} />
          <LoadMore query={query} />
        </>
      )}
    </Card>
  );
