import type { FormEvent, ReactNode } from 'react';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';

/** What the form of a schedule or a plan needs of its page. */
export interface RecurringFormState {
  readonly isNew: boolean;
  readonly busy: boolean;
  readonly error: Error | null;
  /** Why this person may not save it. */
  readonly reason: string | undefined;
  readonly cancelTo: string;
}

interface RecurringFormProps extends RecurringFormState {
  /** As in “Create the schedule”. */
  readonly what: string;
  /** Fields that show their error themselves. */
  readonly shownFields: readonly string[];
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

export const RecurringForm = (props: RecurringFormProps) => {
  const { isNew, busy, error, reason, cancelTo, what, shownFields, onSubmit, onCancel, children } = props;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className="stack" onSubmit={submit}>
      {children}
      {error && <ErrorNotice error={error} shownFields={shownFields} />}
      <div className="form__actions">
        <Button type="submit" variant="primary" busy={busy} disabledReason={reason}>
          {isNew ? `Create the ${what}` : 'Save'}
        </Button>
        <ButtonLink to={cancelTo} onClick={onCancel}>
          Cancel
        </ButtonLink>
      </div>
    </form>
  );
};
