import { useState } from 'react';
import { type ErasureInput, type ErasurePreview, useCreateErasure, usePreviewErasure } from '../data/erasure/erasures.ts';
import { describeFailure, fieldError } from '../format/describe-failure.ts';
import { ErrorNotice } from '../ui/data/error-notice.tsx';
import { Button } from '../ui/form/button.tsx';
import { Choice } from '../ui/form/choice.tsx';
import { Checkbox, Input, Textarea } from '../ui/form/field.tsx';
import { Dialog } from '../ui/overlay/dialog.tsx';
import { ErasurePreviewNotice } from './erasure-preview-notice.tsx';

const confirmation = 'erase';

const empty = { by: 'paths' as 'paths' | 'query', paths: '', collection: '', field: '', value: '', reason: '', typed: '' };

type Draft = typeof empty & { readonly includesBelow: boolean };

/** What the draft names, without the reason. */
const namedBy = ({ by, paths, collection, field, value, includesBelow }: Draft): Omit<ErasureInput, 'reason'> => ({
  ...(by === 'paths'
    ? {
        paths: paths
          .split('\n')
          .map((path) => path.trim())
          .filter(Boolean),
      }
    : { query: { field, value, ...(collection !== '' && { collection }) } }),
  includeSubcollections: includesBelow,
});

/** What is missing before the documents can be looked for. */
const missingBefore = ({ by, paths, field }: Draft): string | undefined => {
  if (by === 'paths' && paths.trim() === '') return 'Name a document first';
  return by === 'query' && field === '' ? 'Name the field first' : undefined;
};

/** What is missing before the documents can be erased. */
const missingIn = ({ reason, typed }: Draft): string | undefined => {
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

interface ErasureDialogProps {
  readonly projectId: string;
  /** Filled in to begin with, such as what a search has found. */
  readonly documents?: readonly string[];
  readonly onClose: () => void;
}

/** What was found for a draft; without `found`, the backup could not be searched, which keeps nobody from erasing. */
interface Shown {
  readonly named: string;
  readonly found?: ErasurePreview;
}

export const ErasureDialog = ({ projectId, documents = [], onClose }: ErasureDialogProps) => {
  const [draft, setDraft] = useState<Draft>({ ...empty, paths: documents.join('\n'), includesBelow: true });
  const [shown, setShown] = useState<Shown>();
  const preview = usePreviewErasure(projectId);
  const erase = useCreateErasure(projectId);
  const set = (change: Partial<Draft>): void => setDraft((before) => ({ ...before, ...change }));
  const body = namedBy(draft);
  const named = JSON.stringify(body);
  const isShown = shown?.named === named;
  const error = isShown ? erase.error : preview.error;
  const find = (): void =>
    preview.mutate(body, {
      onSuccess: (found) => setShown({ named, found }),
      onError: (failure) => {
        if (shownFields(failure).length === 0) setShown({ named });
      },
    });
  return (
    <Dialog
      open
      onClose={onClose}
      title="Erase documents from all backups"
      description="From now on no restore, browse, compare or export shows them, in any backup of this project. This cannot be undone. The live documents stay: delete them in your application. Documents that are created later are new ones, and are not erased."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {isShown ? (
            <Button
              variant="danger"
              busy={erase.isPending}
              disabledReason={missingIn(draft)}
              onClick={() => erase.mutate({ ...body, reason: draft.reason }, { onSuccess: onClose })}
            >
              Erase
            </Button>
          ) : (
            <Button variant="primary" icon="search" busy={preview.isPending} disabledReason={missingBefore(draft)} onClick={find}>
              Find the documents
            </Button>
          )}
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
            rows={Math.min(10, Math.max(4, documents.length))}
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
              hint="Compared exactly, as text. For numbers and other types, use the command bms erasure create."
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
        {isShown && <ErasurePreviewNotice found={shown.found} error={preview.error} />}
        {isShown && (
          <>
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
          </>
        )}
        {error !== null && <ErrorNotice error={error} shownFields={shownFields(error)} />}
      </div>
    </Dialog>
  );
};
