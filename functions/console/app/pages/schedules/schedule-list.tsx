import type { ReactNode } from 'react';
import type { ListResult } from '../../api/use-api.ts';
import type { Schedule } from '../../data/schedules.ts';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { ScheduleTable } from './schedule-table.tsx';

interface ScheduleListProps {
  readonly label: string;
  readonly list: ListResult<Schedule>;
  readonly projectNames?: ReadonlyMap<string, string>;
  /** The way to a new schedule. */
  readonly create: ReactNode;
}

export const ScheduleList = ({ label, list, projectNames, create }: ScheduleListProps) => (
  <Card flush>
    <ListBody
      list={list}
      what="schedules"
      empty={
        <EmptyState icon="calendar" title="No schedules yet" actions={create}>
          A schedule keeps a project protected without anyone thinking of it: every night, every hour, or when you say.
        </EmptyState>
      }
    >
      <ScheduleTable label={label} schedules={list.items} {...(projectNames && { projectNames })} />
    </ListBody>
  </Card>
);
