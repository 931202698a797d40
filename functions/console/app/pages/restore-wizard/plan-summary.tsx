import type { Project } from '../../data/projects.ts';
import { modeWords } from '../../data/restore-words.ts';
import { formatSecond } from '../../format/format-time.ts';
import { PathList } from '../../parts/path-list.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { Time } from '../../ui/data/time.tsx';
import type { Choice } from './choice.ts';
import { databaseOf } from './target-step.tsx';
import type { Source } from './use-source.ts';

interface PlanSummaryProps {
  readonly choice: Choice;
  readonly source: Source;
  readonly target: Project;
}

/** All choices in words, beside the plan they have led to. */
export const PlanSummary = ({ choice, source, target }: PlanSummaryProps) => (
  <dl className="stack stack--tight wizard__summary">
    <Fact label="From">
      <SourceOf choice={choice} source={source} />
    </Fact>
    <Fact label="What">
      <ScopeOf choice={choice} />
    </Fact>
    <Fact label="Into">
      <strong className="wrap-anywhere">{target.name}</strong> <span className="muted">({databaseOf(target)})</span>
    </Fact>
    <Fact label="Mode">
      <strong>{modeWords[choice.mode].name}.</strong> {modeWords[choice.mode].consequence}
    </Fact>
  </dl>
);

const SourceOf = ({ choice: { at }, source: { backup, projectName } }: Omit<PlanSummaryProps, 'target'>) =>
  backup ? (
    <>
      Backup of {projectName}, <Time at={backup.readTime ?? backup.createdAt} />
    </>
  ) : (
    <>
      {projectName} as of {at !== undefined && formatSecond(new Date(at))}
    </>
  );

const ScopeOf = ({ choice: { scope, collections, documents, includeSubcollections } }: Pick<PlanSummaryProps, 'choice'>) => {
  if (scope === 'all') return 'Everything';
  const names = scope === 'collections' ? collections : documents;
  return (
    <>
      <PathList paths={names} total={names.length} />
      {!includeSubcollections && <span className="muted small">without subcollections</span>}
    </>
  );
};
