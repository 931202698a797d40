import { useCollections } from '../../../data/projects.ts';
import { formatCount } from '../../../format/format-number.ts';
import { LoadMore } from '../../../ui/data/load-more.tsx';
import { Notice } from '../../../ui/data/notice.tsx';
import { Checkbox, Textarea } from '../../../ui/form/field.tsx';
import { Segments } from '../../../ui/layout/tabs.tsx';
import type { Draft, Scope } from './draft.ts';

interface CollectionFieldsProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
  readonly error?: string | undefined;
}

const scopes: readonly (readonly [Scope, string])[] = [
  ['all', 'All collections'],
  ['only', 'Only some'],
  ['except', 'All except'],
];

const rootOf = (path: string): string => path.split('/')[0] ?? path;

/** Which collections are backed up. Names that the live database does not have are pointed out. */
export const CollectionFields = ({ draft: { projectId, scope, collections }, onChange, error }: CollectionFieldsProps) => {
  const { items, query } = useCollections(projectId, scope !== 'all' && projectId !== '');
  const known = items?.map(({ id }) => id);
  const unknown = known && !query.hasNextPage ? collections.filter((path) => !known.includes(rootOf(path))) : [];
  const toggle = (id: string, isOn: boolean): void =>
    onChange({ collections: isOn ? [...collections, id] : collections.filter((path) => path !== id) });
  return (
    <div className="stack">
      <Segments label="Which collections" value={scope} options={scopes} onChange={(next) => onChange({ scope: next })} />
      {scope !== 'all' && (
        <>
          {items && items.length > 0 && (
            <fieldset className="collection-list">
              <legend className="visually-hidden">Collections of the database</legend>
              {items.map(({ id, count }) => (
                <Checkbox
                  key={id}
                  label={
                    <>
                      <span className="wrap-anywhere">{id}</span>{' '}
                      {count !== null && <span className="muted small">{formatCount(count)}</span>}
                    </>
                  }
                  checked={collections.includes(id)}
                  onChange={({ target }) => toggle(id, target.checked)}
                />
              ))}
              <LoadMore query={query} label="Show more collections" />
            </fieldset>
          )}
          <Textarea
            label="Paths, one per line"
            hint="Such as users, or users/ada/orders for a collection below a document."
            mono
            rows={3}
            spellCheck={false}
            value={collections.join('\n')}
            onChange={({ target }) => onChange({ collections: target.value === '' ? [] : target.value.split('\n') })}
            error={error}
          />
          {unknown.length > 0 && (
            <Notice tone="warn" title="Not in the database now">
              {unknown.join(', ')}.{' '}
              {scope === 'only' && 'A run fails if none of its collections exists, and warns if some are missing.'}
            </Notice>
          )}
          {query.error && (
            <Notice tone="warn" title="The collections of the database could not be read">
              Type their paths. {query.error.message}
            </Notice>
          )}
        </>
      )}
    </div>
  );
};
