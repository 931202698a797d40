import { useState } from 'react';
import { type ErasureInput, useCreateErasure } from '../../../data/erasure/erasures.ts';
import { describeFailure, fieldError } from '../../../format/describe-failure.ts';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { Button } from '../../../ui/form/button.tsx';
import { Choice } from '../../../ui/form/choice.tsx';
import { Checkbox, Input, Textarea } from '../../../ui/form/field.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';

const confirmation = 'erase';

const empty = { by: 'paths' as 'paths' | 'query', paths: '', collection: '', field: '', value: '', reason: '', typed: '' };

type Draft = typeof empty & { readonly includesBelow: boolean };

const bodyOf = ({ by, paths, collection, field, value, reason, includesBelow }: Draft): ErasureInput => ({
  ...(by === 'paths'
    ? {
        paths: paths
          .split('\n')
          .map((path) => path.trim())
          .filter(Boolean),
      }
    : { query: { field, value, ...(collection !== '' && { collection }) } }),
  includeSubcollections: includesBelow,
  reason,
});

/** What is missing before the documents can be erased. */
const missingIn = ({ by, paths, field, reason, typed }: Draft): string | undefined => {
  if (by === 'paths' && paths.trim() === '') return 'Name a document first';
  if (by === 'query' && field === '') return 'Name the field first';
  if (reason.trim() === '') return 'Give a reason first';
  return typed === confirmation ? undefined : `Type ${confirmation} first`;
};

const shownFields = (error: unknown): readonly string[] =>
  describeFailure(error)
    .fields.map(({ field }) => field)
    .filter((field) => /^(paths|query\.(collection|field|value)|reason)(\.|$)/.test(field));

/** The error of a path, by its line; empty lines are not sent. */
const pathError = (error: unknown, paths: string): string | undefined => {
  const { field = '', reason } = describeFailure(error).fields.find((one) => /^paths(\.|$)/.test(one.field)) ?? {};
  const sent = paths.split('\n').flatMap((path, n) => (path.trim() === '' ? [] : [n + 1]));
  const line = sent[Number(field.split('.')[1])];
  return line === undefined ? reason : `Line ${line} ${reason}`;
};

export const ErasureDialog = ({ projectId, onClose }: { readonly projectId: string; readonly onClose: () => void }) => {
  const [draft, setDraft] = useState<Draft>({ ...empty, includesBelow: true });
  const { mutate, isPending, error } = useCreateErasure(projectId);
  const set = (change: Partial<Draft>): void => setDraft((before) => ({ ...before, ...change }));
  const missing = missingIn(draft);
  return (
    <Dialog
      open
      onClose={onClose}
      title="Erase documents from all backups"
      description="From now on no restore, browse, compare or export shows them, in any backup of this project. This cannot be undone. The live documents stay: delete them in your application. Documents that are created later are new ones, and are not erased."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="danger"
            busy={isPending}
            disabledReason={missing}
            onClick={() => mutate(bodyOf(draft), { onSuccess: onClose })}
          >
            Erase
          </Button>
        </>
      }
    >
      <div className="stack">
        <Choice
          label="Documents"
          value={draft.by}
          options={[
            ['paths', 'By path'],
            ['query', 'By the value of a field'],
          ]}
          onChange={(by) => set({ by })}
        />
        {draft.by === 'paths' ? (
          <Textarea
            label="Paths"
            hint="One document per line, such as users/ada"
            error={pathError(error, draft.paths)}
            mono
            rows={4}
            spellCheck={false}
            value={draft.paths}
            onChange={({ target }) => set({ paths: target.value })}
          />
        ) : (
          <>
            <Input
              label="Collection"
              hint="Its id; all collections if empty"
              optional
              mono
              error={fieldError(error, 'query.collection')}
              value={draft.collection}
              onChange={({ target }) => set({ collection: target.value })}
            />
            <Input
              label="Field"
              mono
              error={fieldError(error, 'query.field')}
              value={draft.field}
              onChange={({ target }) => set({ field: target.value })}
            />
            <Input
              label="Value"
              hint="Text, compared exactly; other types with bms erasure create"
              error={fieldError(error, 'query.value')}
              value={draft.value}
              onChange={({ target }) => set({ value: target.value })}
            />
          </>
        )}
        <Checkbox
          label="Also everything below these documents"
          hint="Their subcollections"
          checked={draft.includesBelow}
          onChange={({ target }) => set({ includesBelow: target.checked })}
        />
        <Input
          label="Reason"
          hint="Part of the audit log: write no personal data"
          error={fieldError(error, 'reason')}
          value={draft.reason}
          onChange={({ target }) => set({ reason: target.value })}
        />
        <Input
          label={
            <>
              Type <strong>{confirmation}</strong> to confirm
            </>
          }
          value={draft.typed}
          spellCheck={false}
          autoCapitalize="off"
          onChange={({ target }) => set({ typed: target.value })}
        />
        {error !== null && <ErrorNotice error={error} shownFields={shownFields(error)} />}
      </div>
    </Dialog>
  );
};
