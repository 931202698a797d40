import { useDraft } from '../../../api/use-draft.ts';
import type { Project } from '../../../data/projects.ts';
import type { RestoreTestInput } from '../../../data/restore-test/restore-tests.ts';
import { fieldError } from '../../../format/describe-failure.ts';
import { NameAndProject } from '../../../forms/recurring/name-and-project.tsx';
import { RecurringForm, type RecurringFormState } from '../../../forms/recurring/recurring-form.tsx';
import { WhenCard } from '../../../forms/recurring/when-card.tsx';
import { Card } from '../../../ui/data/card.tsx';
import { Input } from '../../../ui/form/field.tsx';
import { RadioCards } from '../../../ui/form/radio-cards.tsx';
import { type PlanDraft, planInputOf } from './plan-draft.ts';
import { RestoreTargetFields } from './restore-target-fields.tsx';

interface PlanFormProps extends RecurringFormState {
  readonly initial: PlanDraft;
  /** The restore test that is changed. */
  readonly restoreTestId?: string;
  readonly projects: readonly Project[];
  readonly onSubmit: (input: RestoreTestInput, forget: () => void) => void;
}

const shownFields = ['name', 'timezone', 'target.projectId', 'check.url'];

const picks = [
  { value: 'latest', title: 'The latest backup', children: 'Proves the backup that you would restore today.' },
  { value: 'random', title: 'A random backup', children: 'Over time every backup of the last days is tested.' },
  {
    value: 'moment',
    title: 'A random moment',
    children: 'Any second of the window of point-in-time recovery. Projects without it have nothing to test.',
  },
] as const;

const scopes = [
  { value: 'all', title: 'All documents', children: 'Every document is decoded and compared.' },
  { value: 'sample', title: 'A sample', children: 'Some documents of each collection: faster, and proves less.' },
] as const;

export const PlanForm = ({ initial, restoreTestId, projects, onSubmit, ...state }: PlanFormProps) => {
  const { isNew, error } = state;
  const [draft, change, forget] = useDraft('restoreTest', initial, { secrets: ['checkUrl'], recordId: restoreTestId });
  const submit = (): void => onSubmit(planInputOf(draft, isNew ? undefined : initial), forget);
  return (
    <RecurringForm what="restore test" shownFields={shownFields} onSubmit={submit} onCancel={forget} {...state}>
      <Card title="What is tested">
        <div className="form form--wide">
          <NameAndProject draft={draft} projects={projects} onChange={change} error={error} allowsAll />
          <RadioCards legend="Which backup" showsLegend value={draft.pick} cards={picks} onChange={(pick) => change({ pick })} />
          {draft.pick === 'random' && (
            <div className="form__pair">
              <Input
                label="Of the last days"
                type="number"
                min={1}
                max={3650}
                required
                value={draft.days}
                onChange={({ target }) => change({ days: Number(target.value) })}
                error={fieldError(error, 'backup.days')}
              />
            </div>
          )}
          <RadioCards legend="How much" showsLegend value={draft.scope} cards={scopes} onChange={(scope) => change({ scope })} />
          {draft.scope === 'sample' && (
            <div className="form__pair">
              <Input
                label="Documents per collection"
                type="number"
                min={1}
                max={1000}
                required
                value={draft.documentsPerCollection}
                onChange={({ target }) => change({ documentsPerCollection: Number(target.value) })}
                error={fieldError(error, 'scope.documentsPerCollection')}
              />
            </div>
          )}
        </div>
      </Card>
      <RestoreTargetFields draft={draft} projects={projects} error={error} onChange={change} />
      <WhenCard when={draft} onChange={change} error={error} />
    </RecurringForm>
  );
};
