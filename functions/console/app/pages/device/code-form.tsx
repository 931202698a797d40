import { useState } from 'react';
import { fieldError } from '../../format/describe-failure.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Input } from '../../ui/form/field.tsx';

interface CodeFormProps {
  /** The code that was tried. */
  readonly userCode: string | undefined;
  readonly error: Error | null;
  readonly onSubmit: (userCode: string) => void;
}

const lettersOf = (text: string): string => text.toUpperCase().replaceAll(/[^A-Z]/g, '');

/** `wdjbmjht` → `WDJB-MJHT`, as the device shows it. */
const spelled = (text: string): string => lettersOf(text).replace(/^(.{4})(.+)$/, '$1-$2');

export const CodeForm = ({ userCode = '', error, onSubmit }: CodeFormProps) => {
  const [text, setText] = useState(spelled(userCode));
  const [isIncomplete, setIncomplete] = useState(false);
  const invalid = isIncomplete ? 'Enter the eight letters of the code.' : fieldError(error, 'userCode');
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        const isComplete = lettersOf(text).length === 8;
        setIncomplete(!isComplete);
        if (isComplete) onSubmit(spelled(text));
      }}
    >
      {error && invalid === undefined && spelled(text) === spelled(userCode) && <ErrorNotice error={error} />}
      <Input
        label="Code"
        hint="The eight letters that the terminal of your device shows after bms login."
        error={invalid}
        mono
        autoFocus
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={16}
        value={text}
        onChange={({ target }) => setText(target.value.toUpperCase())}
      />
      <Button type="submit" variant="primary">
        Continue
      </Button>
    </form>
  );
};
