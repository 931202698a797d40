import { useNavigate } from '@tanstack/react-router';
import { FindBox } from '../../parts/find-box.tsx';
import { SourcePicker } from '../../parts/source/source-picker.tsx';
import { paths } from '../../paths.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import type { Source } from './use-source.ts';
import type { Wizard } from './wizard-state.ts';

interface StepProps {
  readonly wizard: Wizard;
  readonly source: Source;
}

/** A backup, or a moment of point-in-time recovery. Another source may have other collections, so the scope begins anew. */
export const SourceStep = ({ wizard: { choice, choose }, source }: StepProps) => {
  const { projects, project, error, window } = source;
  const navigate = useNavigate();
  if (error) return <ErrorNotice error={error} title="The source could not be loaded" onRetry={source.reload} />;
  if (!projects) return <SkeletonText />;
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
      {projects.length > 0 && (
        <FindBox
          onFind={(path) =>
            void navigate({ to: paths.findDocument({ path, projectId: choice.projectId ?? project?.id ?? onlyId(projects) }) })
          }
          hint="For one document you need no steps: a path, an id, or an address of Google’s console"
        />
      )}
      <SourcePicker
        projects={projects}
        choice={choice}
        projectId={project?.id}
        window={window}
        incompleteAdvice="The plan shows which; you decide then whether to go on without them."
        emptyAdvice="A restore writes into a connected project. Connect one first."
        onChoose={(chosen) => choose({ ...anew, ...chosen })}
      />
    </div>
  );
};

const onlyId = (projects: readonly { readonly id: string }[]): string | undefined =>
  projects.length === 1 ? projects[0]?.id : undefined;
