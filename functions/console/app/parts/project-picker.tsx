import { useProjects } from '../data/projects.ts';
import { ErrorNotice } from '../ui/data/error-notice.tsx';
import { SkeletonText } from '../ui/data/skeleton.tsx';
import { Checkbox } from '../ui/form/field.tsx';

interface ProjectPickerProps {
  readonly value: readonly string[];
  readonly onChange: (projectIds: readonly string[]) => void;
  readonly error: string | undefined;
  readonly hint: string;
}

/** All projects, or some. An empty list means all. */
export const ProjectPicker = ({ value, onChange, error, hint }: ProjectPickerProps) => {
  const { items, query } = useProjects();
  const known = new Set(items?.map(({ id }) => id));
  const gone = value.filter((id) => items !== undefined && !known.has(id));
  const toggle = (id: string, isChosen: boolean): void => onChange(isChosen ? [...value, id] : value.filter((one) => one !== id));
  const [first] = items ?? [];
  return (
    <fieldset className="stack stack--medium">
      <legend className="field__label">Projects</legend>
      <Checkbox
        label="All projects, also future ones"
        checked={value.length === 0}
        disabled={!first}
        onChange={({ target }) => onChange(target.checked || !first ? [] : [first.id])}
      />
      {query.error && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {value.length > 0 && (
        <div className="stack stack--medium boxed">
          {!items && <SkeletonText />}
          {items?.map(({ id, name }) => (
            <Checkbox
              key={id}
              label={<span className="wrap-anywhere">{name}</span>}
              checked={value.includes(id)}
              onChange={({ target }) => toggle(id, target.checked)}
            />
          ))}
          {gone.map((id) => (
            <Checkbox
              key={id}
              label={<code>{id}</code>}
              hint="No longer in this organization"
              checked
              onChange={() => toggle(id, false)}
            />
          ))}
        </div>
      )}
      <div className="field__hint">{hint}</div>
      {error && <div className="field__error">{error}</div>}
    </fieldset>
  );
};
