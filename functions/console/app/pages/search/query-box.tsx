import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/form/button.tsx';
import { Input } from '../../ui/form/field.tsx';

interface QueryBoxProps {
  readonly initial: string;
  readonly isPrimary: boolean;
  readonly error: string | undefined;
  readonly onSearch: (q: string) => void;
  /** Before the field, such as the project. */
  readonly before: ReactNode;
}

export const QueryBox = ({ initial, isPrimary, error, onSearch, before }: QueryBoxProps) => {
  const [text, setText] = useState(initial);
  return (
    <search>
      <form
        className={before ? 'find-box find-box--wide' : 'find-box'}
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') onSearch(text.trim());
        }}
      >
        {before}
        <Input
          label="Search for"
          hint="Conditions on fields, joined by “and”; or a text in double quotes, which is looked for in every field"
          placeholder='email == "ada@example.com"'
          error={error}
          spellCheck={false}
          autoCapitalize="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit" icon="search" variant={isPrimary ? 'primary' : 'secondary'}>
          Search
        </Button>
      </form>
    </search>
  );
};
