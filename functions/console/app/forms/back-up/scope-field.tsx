import { Button } from '../../ui/form/button.tsx';
import { Choice } from '../../ui/form/choice.tsx';
import { Textarea } from '../../ui/form/field.tsx';

export interface Scope {
  readonly kind: 'all' | 'only' | 'except';
  /** One path per line. */
  readonly paths: string;
}

const pathsOf = (text: string): readonly string[] =>
  [...new Set(text.split(/[\n,]/).map((path) => path.trim().replace(/^\/+|\/+$/g, '')))].filter((path) => path !== '');

/** The collections of a request; undefined while none is named. */
export const scopeOf = ({ kind, paths }: Scope) => {
  if (kind === 'all') return { collections: ['*'] };
  const named = [...pathsOf(paths)];
  if (named.length === 0) return undefined;
  return kind === 'only' ? { collections: named } : { collections: ['*'], excludeCollections: named };
};

const kinds = [
  ['all', 'All collections'],
  ['only', 'Only some'],
  ['except', 'All except some'],
] as const;

interface ScopeFieldProps {
  readonly scope: Scope;
  readonly onChange: (scope: Scope) => void;
  /** Collections of the database, to add with a click. */
  readonly known: readonly string[] | undefined;
}

/** Suggestions shown at once. */
const knownMax = 12;

export const ScopeField = ({ scope, onChange, known = [] }: ScopeFieldProps) => {
  const named = pathsOf(scope.paths);
  const others = known.filter((path) => !named.includes(path)).slice(0, knownMax);
  return (
    <>
      <Choice label="Collections" value={scope.kind} options={kinds} onChange={(kind) => onChange({ ...scope, kind })} />
      {scope.kind !== 'all' && (
        <div className="stack">
          <Textarea
            label={scope.kind === 'only' ? 'Collections to back up' : 'Collections to leave out'}
            hint="One path per line, such as users or users/ada/orders. Everything below a collection belongs to it."
            mono
            rows={3}
            value={scope.paths}
            onChange={({ target }) => onChange({ ...scope, paths: target.value })}
          />
          {others.length > 0 && (
            <div className="row">
              <span className="muted small">Add:</span>
              {others.map((path) => (
                <Button key={path} size="small" onClick={() => onChange({ ...scope, paths: [...named, path].join('\n') })}>
                  {path}
                </Button>
              ))}
            </div>
          )}
        </div>
      )}
    </>
  );
};
