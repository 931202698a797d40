import { useState } from 'react';
import type { Project } from '../../data/projects.ts';
import { Select } from '../../ui/form/field.tsx';
import { Segments } from '../../ui/layout/tabs.tsx';
import { BackupPicker } from './backup-picker.tsx';
import { MomentPicker } from './moment-picker.tsx';
import { NoProject } from './no-project.tsx';
import type { SourceChoice } from './source-choice.ts';
import type { MomentWindow } from './window-at.ts';

interface SourcePickerProps {
  readonly projects: readonly Project[];
  readonly choice: SourceChoice;
  /** The project of the chosen backup or moment, as far as it is connected. */
  readonly projectId: string | undefined;
  /** Of the chosen moment. */
  readonly window: MomentWindow | null | undefined;
  /** What a person can do about a moment that is not complete. */
  readonly incompleteAdvice: string;
  /** Why a connected project is needed. */
  readonly emptyAdvice: string;
  readonly onChoose: (choice: SourceChoice) => void;
}

/** Chooses a backup, or a moment of point-in-time recovery. */
export const SourcePicker = ({ projects, choice, onChoose, ...rest }: SourcePickerProps) => {
  const { window, incompleteAdvice, emptyAdvice } = rest;
  /** The project whose backups are listed; stays as it is when a backup is picked. */
  const [filter, setFilter] = useState<string>();
  const [only] = projects;
  if (!only) return <NoProject>{emptyAdvice}</NoProject>;
  const projectId = filter ?? choice.projectId ?? rest.projectId ?? (projects.length === 1 ? only.id : '');
  const ofProject = { backupId: undefined, projectId: projectId || undefined, at: undefined };
  return (
    <>
      <div className="source__filters">
        <Select
          label="Project"
          value={projectId}
          onChange={({ target }) => {
            setFilter(target.value);
            onChoose({ ...ofProject, kind: choice.kind, projectId: target.value || undefined });
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
          value={choice.kind}
          options={[
            ['backup', 'A backup'],
            ['moment', 'A point in time'],
          ]}
          onChange={(kind) => onChoose({ ...ofProject, kind })}
        />
      </div>
      {choice.kind === 'backup' ? (
        <BackupPicker
          projectId={projectId || undefined}
          value={choice.backupId}
          onChange={(backupId) => {
            setFilter(projectId);
            onChoose({ ...ofProject, projectId: undefined, backupId, kind: 'backup' });
          }}
        />
      ) : (
        <MomentPicker
          project={projects.find(({ id }) => id === projectId)}
          value={choice.at}
          window={window}
          incompleteAdvice={incompleteAdvice}
          onChange={(at) => onChoose({ ...ofProject, at, kind: 'moment' })}
        />
      )}
    </>
  );
};
