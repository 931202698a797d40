import { useProjects } from '../../data/projects.ts';
import { Select } from '../../ui/form/field.tsx';
import { RecordOptions, WordOptions } from '../../ui/form/options.tsx';
import { DayField } from '../day-field.tsx';
import { type JobFilters, type JobStatus, jobStatuses } from './job-filters.ts';

const words: Readonly<Record<JobStatus, string>> = {
  pending: 'Pending',
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

interface JobFilterFieldsProps {
  readonly filters: JobFilters;
  readonly onChange: (changed: JobFilters) => void;
}

/** Filters of a history of jobs: project, status and days. */
export const JobFilterFields = ({ filters, onChange }: JobFilterFieldsProps) => {
  const { items: projects = [] } = useProjects();
  return (
    <search className="filters" aria-label="Filters">
      <Select
        label="Project"
        value={filters.projectId ?? ''}
        onChange={({ target }) => onChange({ projectId: target.value || undefined })}
      >
        <option value="">All projects</option>
        <RecordOptions of={projects} />
      </Select>
      <Select
        label="Status"
        value={filters.status ?? ''}
        onChange={({ target }) => onChange({ status: jobStatuses.find((one) => one === target.value) })}
      >
        <option value="">Any status</option>
        <WordOptions of={jobStatuses} words={words} />
      </Select>
      <DayField label="From" name="from" day={filters.from} onChange={(from) => onChange({ from })} />
      <DayField label="To" name="to" day={filters.to} onChange={(to) => onChange({ to })} />
    </search>
  );
};
