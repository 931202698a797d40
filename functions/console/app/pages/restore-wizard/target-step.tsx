import { Link } from '@tanstack/react-router';
import type { Project } from '../../data/projects.ts';
import { paths } from '../../paths.ts';
import { Badge } from '../../ui/data/badge.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { RadioCards } from '../../ui/form/radio-cards.tsx';
import type { Source } from './use-source.ts';
import type { Wizard } from './wizard-state.ts';

interface StepProps {
  readonly wizard: Wizard;
  readonly source: Source;
}

export const databaseOf = ({ sourceProjectId, databaseId }: Project): string =>
  databaseId === '(default)' ? `${sourceProjectId}, default database` : `${sourceProjectId}, database ${databaseId}`;

/** The project of the backup, or any other connected one: another database is a connected project of its own. */
export const TargetStep = ({ wizard: { choose }, source: { project, projects = [], target } }: StepProps) => {
  const ordered = [...projects].sort((a, b) => Number(b.id === project?.id) - Number(a.id === project?.id));
  return (
    <div className="stack">
      {!project && (
        <Notice tone="warn" title="The project of this backup is no longer connected">
          Choose another one to restore into.
        </Notice>
      )}
      <RadioCards
        legend="Target"
        value={target?.id}
        onChange={(id) => choose({ targetProjectId: id === project?.id ? undefined : id })}
        cards={ordered.map((each) => ({
          value: each.id,
          title: (
            <>
              {each.name}
              {each.id === project?.id && <Badge tone="info">Where it came from</Badge>}
            </>
          ),
          children: databaseOf(each),
          disabledReason:
            each.status === 'connected' ? undefined : 'The service may not access it any more: reconnect it on its page first.',
        }))}
      />
      {target && target.id !== project?.id && (
        <Notice title={`${target.name} is another project`}>
          References to documents of the backed-up database will point to the same documents in {target.name}.
        </Notice>
      )}
      <p className="small muted">
        Another database of the same Google project, or a new one, is <Link to={paths.projects}>connected as a project</Link>{' '}
        first.
      </p>
    </div>
  );
};
