import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { FindBox } from '../../parts/find-box.tsx';
import { paths } from '../../paths.ts';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { buttonClass } from '../../ui/form/button.tsx';
import { Select } from '../../ui/form/field.tsx';
import { Segments } from '../../ui/layout/tabs.tsx';
import { BackupPicker } from './backup-picker.tsx';
import { MomentPicker } from './moment-picker.tsx';
import type { Source } from './use-source.ts';
import type { Wizard } from './wizard-state.ts';

interface StepProps {
  readonly wizard: Wizard;
  readonly source: Source;
}

/** A backup, or a moment of point-in-time recovery. Another source may have other collections, so the scope begins anew. */
export const SourceStep = ({ wizard: { choice, choose }, source }: StepProps) => {
  const { projects, error } = source;
  const navigate = useNavigate();
  /** The project whose backups are listed; stays as it is when a backup is picked. */
  const [filter, setFilter] = useState<string>();
  if (error) return <ErrorNotice error={error} title="The source could not be loaded" onRetry={source.reload} />;
  if (!projects) return <SkeletonText />;
  const [only] = projects;
  if (!only)
    return (
      <EmptyState
        icon="database"
        title="No project is connected"
        actions={
          <Link className={buttonClass('primary')} to={paths.projects}>
            Connect a project
          </Link>
        }
      >
        A restore writes into a connected project. Connect one first.
      </EmptyState>
    );
  const projectId = filter ?? choice.projectId ?? source.project?.id ?? (projects.length === 1 ? only.id : '');
  const { kind } = choice;
  const anew = {
    scope: 'all',
    collections: [],
    typed: '',
    documents: [],
    users: undefined,
    allowPartial: false,
    changedFrom: undefined,
  } as const;
  return (
    <div className="stack">
      <FindBox
        onFind={(path) => void navigate({ to: paths.findDocument({ path, projectId: projectId || undefined }) })}
        hint="For one document you need no steps: a path, an id, or an address of Google’s console"
      />
      <div className="wizard__filters">
        <Select
          label="Project"
          value={projectId}
          onChange={({ target }) => {
            setFilter(target.value);
            choose({ ...anew, projectId: target.value || undefined, backupId: undefined, at: undefined });
          }}
        >
          {projects.length !== 1 && <option value="">All projects</option>}
          {projects.map(({ id, name, sourceProjectId, databaseId }) => (
            <option key={id} value={id}>
              {name} ({sourceProjectId}
              {databaseId === '(default)' ? '' : `, ${databaseId}`})
            </option>
          ))}
        </Select>
        <Segments
          label="Kind of source"
          value={kind}
          options={[
            ['backup', 'A backup'],
            ['moment', 'A point in time'],
          ]}
          onChange={(next) =>
            choose({ ...anew, backupId: undefined, projectId: projectId || undefined, at: undefined, kind: next })
          }
        />
      </div>
      {kind === 'backup' ? (
        <BackupPicker
          projectId={projectId || undefined}
          value={choice.backupId}
          onChange={(backupId) => {
            setFilter(projectId);
            choose({ ...anew, backupId, projectId: undefined, at: undefined, kind: 'backup' });
          }}
        />
      ) : (
        <MomentPicker
          project={projects.find(({ id }) => id === projectId)}
          value={choice.at}
          window={source.window}
          onChange={(at) => choose({ ...anew, backupId: undefined, projectId, at, kind: 'moment' })}
        />
      )}
    </div>
  );
};
