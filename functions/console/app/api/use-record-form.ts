import { useState } from 'react';
import { fieldError } from '../format/describe-failure.ts';
import { changesOf } from '../ui/form/changes-of.ts';
import type { FormChange } from './use-api.ts';
import { type DraftOptions, useDraft } from './use-draft.ts';

interface RecordFormOptions<R, D, B, T> extends Pick<DraftOptions<D>, 'secrets'> {
  /** Names the draft that this tab keeps. */
  readonly name: string;
  /** Undefined: create one. */
  readonly record: R | undefined;
  readonly draftOf: (record: R | undefined) => D;
  /** What is sent. */
  readonly bodyOf: (draft: D) => B;
  readonly create: FormChange<B, T>;
  readonly update: FormChange<Partial<B>>;
  readonly onCreated?: (created: T) => void;
  readonly onClose: () => void;
}

/** The form that creates or changes a record: its draft, what it sends, and its errors. `dialog` has what a `<FormDialog>` needs. */
export const useRecordForm = <R extends { readonly id: string }, D extends object, B extends object, T>(
  options: RecordFormOptions<R, D, B, T>,
) => {
  const { name, record, draftOf, bodyOf, secrets = [], create, update, onCreated, onClose } = options;
  const [opened] = useState(record);
  const [draft, change, forget] = useDraft(name, draftOf(record), { secrets, recordId: record?.id });
  const error = create.error ?? update.error;
  const onSubmit = (): void => {
    if (!opened) {
      const onSuccess = (created: T): void => {
        forget();
        onCreated?.(created);
      };
      create.mutate(bodyOf(draft), { onSuccess });
      return;
    }
    // What was not changed is not sent: others may have changed it meanwhile, and parts of it may be masked.
    const changes = changesOf(bodyOf(draftOf(opened)), bodyOf(draft));
    if (Object.keys(changes).length === 0) onClose();
    else update.mutate(changes, { onSuccess: onClose });
  };
  const onCancel = (): void => {
    forget();
    onClose();
  };
  return {
    draft,
    change,
    errorOf: (field: string): string | undefined => fieldError(error, field),
    dialog: { change: { isPending: create.isPending || update.isPending, error }, onSubmit, onCancel, onClose },
  };
};
