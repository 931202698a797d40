import type { Project } from '../../../data/projects.ts';
import { fieldError } from '../../../format/describe-failure.ts';
import { Card } from '../../../ui/data/card.tsx';
import { Input, Select } from '../../../ui/form/field.tsx';
import type { PlanDraft } from './plan-draft.ts';

interface RestoreTargetFieldsProps {
  readonly draft: PlanDraft;
  readonly projects: readonly Project[];
  readonly error: unknown;
  readonly onChange: (part: Partial<PlanDraft>) => void;
}

/** Where the test restores to, and the customer's own check of the restored data. */
export const RestoreTargetFields = ({ draft, projects, error, onChange }: RestoreTargetFieldsProps) => (
  <Card
    title="Where"
    description="Without a target the archive is read, decrypted and compared. With one it is restored there, compared document by document and removed again: only what the test wrote."
  >
    <div className="form form--wide">
      <Select
        label="Target"
        value={draft.targetId}
        error={fieldError(error, 'target.projectId')}
        onChange={({ target }) => onChange({ targetId: target.value })}
      >
        <option value="">None: read the archive and compare it</option>
        {projects
          .filter(({ id }) => id !== draft.projectId)
          .map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
      </Select>
      {draft.targetId !== '' && (
        <div className="form__pair">
          <Input
            label="URL of your own check"
            hint="It is told when the restored data is ready, and answers pass or fail. The URL is stored encrypted."
            optional
            type="text"
            inputMode="url"
            value={draft.checkUrl}
            error={fieldError(error, 'check.url')}
            onChange={({ target }) => onChange({ checkUrl: target.value })}
          />
          <Input
            label="Seconds to answer"
            type="number"
            min={5}
            max={86_400}
            required
            value={draft.checkSeconds}
            onChange={({ target }) => onChange({ checkSeconds: Number(target.value) })}
          />
        </div>
      )}
    </div>
  </Card>
);
