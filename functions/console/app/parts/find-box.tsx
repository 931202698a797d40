import { type ReactNode, useState } from 'react';
import { Button } from '../ui/form/button.tsx';
import { Input } from '../ui/form/field.tsx';

interface FindBoxProps {
  readonly initial?: string;
  readonly error?: string | undefined;
  readonly isPrimary?: boolean;
  readonly busy?: boolean;
  readonly onFind: (document: string) => void;
  /** Before the field, such as the project. */
  readonly before?: ReactNode;
  /** Below the field, beside how a document is named. */
  readonly hint?: ReactNode;
}

/** Takes a path, an id, or an address of Google's console. What is pasted is searched for at once. */
export const FindBox = ({ initial = '', error, isPrimary = false, busy = false, onFind, before, hint }: FindBoxProps) => {
  const [text, setText] = useState(initial);
  const find = (document: string): void => {
    if (document.trim() !== '') onFind(document.trim());
  };
  return (
    <search>
      <form
        className={before ? 'find-box find-box--wide' : 'find-box'}
        onSubmit={(event) => {
          event.preventDefault();
          find(text);
        }}
      >
        {before}
        <Input
          label="Find a document"
          hint={hint ?? 'A path such as users/ada, an id, or the address of the document in Google’s console'}
          placeholder="users/ada"
          error={error}
          spellCheck={false}
          autoCapitalize="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onPaste={(event) => {
            if (text !== '') return;
            event.preventDefault();
            const pasted = event.clipboardData.getData('text').trim();
            setText(pasted);
            find(pasted);
          }}
        />
        <Button type="submit" icon="search" variant={isPrimary ? 'primary' : 'secondary'} busy={busy}>
          Find
        </Button>
      </form>
    </search>
  );
};
