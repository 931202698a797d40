import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { type Overview, overviewFilters, type ProjectOverview, useOverview } from '../../data/overview.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { paths } from '../../paths.ts';
import { Badge } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Input, Select } from '../../ui/form/field.tsx';
import { useSearchParams } from '../../use-search.ts';
import { protectionWords } from './protection.tsx';

/** The overview, with those projects that the address asks for: `?search=…&protection=…&label=…&sort=…`. */
export const useFilteredOverview = () => {
  const [search] = useSearchParams();
  return useOverview(overviewFilters(search));
};

interface ProjectListProps {
  readonly overview: ReturnType<typeof useFilteredOverview>;
  readonly label: string;
  readonly title?: string;
  readonly columns: readonly Column<ProjectOverview>[];
  /** Shown if the organization has no project at all. */
  readonly empty?: ReactNode;
}

/** Fewer are seen at a glance. */
export const filteredFrom = 6;

/** Projects and their state, searched, filtered and sorted by the service: there may be thousands. */
export const ProjectList = ({ overview, label, title, columns, empty }: ProjectListProps) => {
  const [search, setSearch] = useSearchParams();
  const { items, first, query } = overview;
  const filters = overviewFilters(search);
  const { sort = 'protection', ...narrowing } = filters;
  const isFiltered = Object.keys(narrowing).length > 0;
  const total = first?.totals.projects ?? 0;
  const left = (first?.matching ?? 0) - (items?.length ?? 0);
  return (
    <Card title={title} description={first && total >= filteredFrom ? countWords(first, isFiltered) : undefined} flush>
      {first && (isFiltered || total >= filteredFrom) && <ProjectFilters overview={first} isFiltered={isFiltered} />}
      <ListBody
        list={{ items, query }}
        what="projects"
        moreLabel={`Show more, ${formatCount(left)} left`}
        empty={
          isFiltered || !empty ? (
            <EmptyState icon="search" title="No project matches">
              Change the search or clear the filters.
            </EmptyState>
          ) : (
            empty
          )
        }
      >
        <Table
          label={label}
          columns={columns}
          rows={items}
          rowKey={({ id }) => id}
          sorting={{ by: sort, onChange: (by) => setSearch({ sort: by === 'protection' ? undefined : by }, { replace: true }) }}
        />
      </ListBody>
    </Card>
  );
};

const countWords = ({ matching, totals }: Overview, isFiltered: boolean): string =>
  isFiltered
    ? `${formatCount(matching)} of ${formatPlural(totals.projects, 'project')}`
    : formatPlural(totals.projects, 'project');

const names = ['search', 'protection', 'label'] as const;

const ProjectFilters = ({ overview, isFiltered }: { readonly overview: Overview; readonly isFiltered: boolean }) => {
  const [params, setSearch] = useSearchParams();
  const { totals, labels } = overview;
  const counts = { unprotected: totals.unprotected, at_risk: totals.atRisk, protected: totals.protected };
  return (
    <search className="filters filters--within" aria-label="Filter projects">
      <SearchInput value={params.search ?? ''} onChange={(search) => setSearch({ search }, { replace: true })} />
      <Select
        label="Protection"
        value={params.protection ?? ''}
        onChange={({ target }) => setSearch({ protection: target.value || undefined })}
      >
        <option value="">Any</option>
        {(['unprotected', 'at_risk', 'protected'] as const).map((state) => (
          <option key={state} value={state}>
            {`${protectionWords[state]} (${formatCount(counts[state])})`}
          </option>
        ))}
      </Select>
      {(labels.length > 0 || params.label !== undefined) && (
        <Select
          label="Label"
          value={params.label ?? ''}
          onChange={({ target }) => setSearch({ label: target.value || undefined })}
        >
          <option value="">Any</option>
          {params.label !== undefined && !labels.some((one) => selectorOf(one) === params.label) && (
            <option value={params.label}>{params.label}</option>
          )}
          {labels.map((one) => (
            <option key={selectorOf(one)} value={selectorOf(one)}>
              {`${one.key}: ${one.value} (${formatCount(one.projects)})`}
            </option>
          ))}
        </Select>
      )}
      {isFiltered && (
        <Button
          variant="quiet"
          icon="close"
          onClick={() => setSearch(Object.fromEntries(names.map((name) => [name, undefined])))}
        >
          Clear
        </Button>
      )}
    </search>
  );
};

const selectorOf = ({ key, value }: Overview['labels'][number]): string => `${key}=${value}`;

/** The address follows once typing has paused, and the text follows the address when it is cleared. */
const SearchInput = ({ value, onChange }: { readonly value: string; readonly onChange: (text: string | undefined) => void }) => {
  const [edit, setEdit] = useState({ typed: value, from: value });
  const typed = edit.from === value ? edit.typed : value;
  useEffect(() => {
    const timer = typed === value ? undefined : setTimeout(() => onChange(typed || undefined), quietMs);
    return () => clearTimeout(timer);
  });
  return (
    <Input
      type="search"
      label="Search"
      placeholder="Name, Google Cloud project or label"
      value={typed}
      onChange={({ target }) => setEdit({ typed: target.value, from: value })}
    />
  );
};

const quietMs = 400;

interface ProjectNameProps {
  readonly project: ProjectOverview;
}

/** The link to a project, with its labels and its database. */
export const ProjectName = ({ project: { id, name, labels, sourceProjectId, databaseId } }: ProjectNameProps) => (
  <>
    <span className="project-name">
      <Link to={paths.project(id)}>{name}</Link>
      <LabelList labels={labels} />
    </span>
    <div className="small muted regular">
      {sourceProjectId}
      {databaseId !== '(default)' && ` / ${databaseId}`}
    </div>
  </>
);

/** The labels of a project. */
export const LabelList = ({ labels }: { readonly labels: Readonly<Record<string, string>> }) => {
  const entries = Object.entries(labels);
  if (entries.length === 0) return null;
  return (
    <div className="labels">
      {entries.map(([key, value]) => (
        <Badge key={key} tone="neutral">
          {key}: {value}
        </Badge>
      ))}
    </div>
  );
};
