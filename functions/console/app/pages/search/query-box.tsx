import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/form/button.tsx';
import { Input } from '../../ui/form/field.tsx';

interface Query {
  readonly q: string;
  /** Empty: all of them. */
  readonly collection: string;
}

interface QueryBoxProps {
  readonly initial: Query;
  readonly isPrimary: boolean;
  readonly errors: { readonly [field in keyof Query]: string | undefined };
  readonly onSearch: (query: Query) => void;
  /** Before the fields, such as the project. */
  readonly before: ReactNode;
}

export const QueryBox = ({ initial, isPrimary, errors, onSearch, before }: QueryBoxProps) => {
  const [{ q, collection }, setQuery] = useState(initial);
  const change = (part: Partial<Query>): void => setQuery((old) => ({ ...old, ...part }));
  return (
    <search>
      <form
        className="search__box"
        onSubmit={(event) => {
          event.preventDefault();
          if (q.trim() !== '') onSearch({ q: q.trim(), collection: collection.trim() });
        }}
      >
        {before && <div className="search__side">{before}</div>}
        <div className="search__query">
          <Input
            label="Search for"
            hint="Conditions on fields, joined by “and”; or a text in double quotes, which is looked for in every field"
            placeholder='email == "ada@example.com"'
            error={errors.q}
            spellCheck={false}
            autoCapitalize="off"
            value={q}
            onChange={({ target }) => change({ q: target.value })}
          />
        </div>
        <div className="search__side">
          <Input
            label="Collection"
            optional
            hint="Its id or path; all if empty"
            placeholder="users"
            error={errors.collection}
            spellCheck={false}
            autoCapitalize="off"
            value={collection}
            onChange={({ target }) => change({ collection: target.value })}
          />
        </div>
        <Button type="submit" icon="search" variant={isPrimary ? 'primary' : 'secondary'}>
          Search
        </Button>
      </form>
    </search>
  );
};
