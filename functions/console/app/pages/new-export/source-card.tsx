import { useState } from 'react';
import type { Backup } from '../../data/backups.ts';
import type { Project } from '../../data/projects.ts';
import { formatPlural } from '../../format/format-number.ts';
import { hasSource, type SourceChoice } from '../../parts/source/source-choice.ts';
import { SourcePicker } from '../../parts/source/source-picker.tsx';
import type { MomentWindow } from '../../parts/source/window-at.ts';
import { Badge } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';

interface SourceCardProps {
  readonly draft: SourceChoice;
  readonly projects: readonly Project[] | undefined;
  readonly backup: Backup | undefined;
  readonly project: Project | undefined;
  readonly window: MomentWindow | null | undefined;
  readonly onChoose: (choice: SourceChoice) => void;
}

/** The backup or moment that a link has chosen, or the choice of one. */
export const SourceCard = ({ draft, projects, backup, project, window, onChoose }: SourceCardProps) => {
  const [isChoosing, setChoosing] = useState(!hasSource(draft));
  const isShown = !isChoosing && (draft.backupId === undefined ? project !== undefined && window !== null : backup !== undefined);
  if (isShown)
    return (
      <Card title="From" actions={<Button onClick={() => setChoosing(true)}>Choose another source</Button>}>
        <ChosenSource draft={draft} backup={backup} project={project} />
      </Card>
    );
  return (
    <Card title="From">
      <div className="stack">
        {projects ? (
          <SourcePicker
            projects={projects}
            choice={draft}
            projectId={project?.id}
            window={window}
            incompleteAdvice="Export only collections that are complete, or choose another point in time."
            emptyAdvice="Exports are made of the backups of connected projects. Connect one first."
            onChoose={(choice) => {
              setChoosing(true);
              onChoose(choice);
            }}
          />
        ) : (
          <SkeletonText />
        )}
      </div>
    </Card>
  );
};

const ChosenSource = ({ draft, backup, project }: Pick<SourceCardProps, 'draft' | 'backup' | 'project'>) => {
  if (backup)
    return (
      <p className="row">
        <strong className="wrap-anywhere">{backup.projectName ?? 'Removed project'}</strong>
        <span>
          Backup of <Time at={backup.readTime ?? backup.createdAt} />
        </span>
        <span className="muted">{formatPlural(backup.documentCount, 'document')}</span>
        {backup.status !== 'completed' && <Badge tone="warn">Not completed</Badge>}
      </p>
    );
  return (
    <p className="row">
      <strong className="wrap-anywhere">{project?.name}</strong>
      <span>
        as of <Time at={draft.at ?? null} seconds />
      </span>
    </p>
  );
};
