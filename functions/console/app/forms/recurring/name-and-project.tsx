import type { Project } from '../../data/projects.ts';
import { fieldError } from '../../format/describe-failure.ts';
import { Input, Select } from '../../ui/form/field.tsx';
import { RecordOptions } from '../../ui/form/options.tsx';

interface Named {
  readonly name: string;
  readonly projectId: string;
}

interface NameAndProjectProps {
  readonly draft: Named;
  readonly projects: readonly Project[];
  readonly onChange: (part: Partial<Named>) => void;
  readonly error: unknown;
  /** Offers all projects as well. */
  readonly allowsAll?: boolean;
  readonly isFixed?: boolean;
}

export const NameAndProject = (props: NameAndProjectProps) => {
  const { draft, projects, onChange, error, allowsAll = false, isFixed = false } = props;
  return (
    <div className="form__pair">
      <Input
        label="Name"
        value={draft.name}
        maxLength={100}
        onChange={({ target }) => onChange({ name: target.value })}
        error={fieldError(error, 'name')}
        required
      />
      <Select
        label="Project"
        value={draft.projectId}
        disabled={isFixed}
        onChange={({ target }) => onChange({ projectId: target.value })}
      >
        {allowsAll && <option value="">All projects</option>}
        <RecordOptions of={projects} />
      </Select>
    </div>
  );
};
