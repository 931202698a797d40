import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { Select } from '../ui/form/field.tsx';
import { FormDialog } from '../ui/overlay/form-dialog.tsx';

const defaultHours = 24;

const overlaps = [
  [1, 'For 1 hour'],
  [defaultHours, 'For 24 hours'],
  [168, 'For 7 days'],
] as const;

interface RotateDialogProps {
  readonly title: string;
  readonly description: string;
  /** What is replaced: a key or a secret. */
  readonly what: 'key' | 'secret';
  /** How long the old one stays valid beside the new one. */
  readonly overlap: string;
  /** The choice without an overlap. */
  readonly stopNow: string;
  readonly rotate: UseMutationResult<unknown, Error, number>;
  readonly onClose: () => void;
}

/** Replaces a key or a secret. */
export const RotateDialog = ({ title, description, what, overlap, stopNow, rotate, onClose }: RotateDialogProps) => {
  const [hours, setHours] = useState<number>(defaultHours);
  return (
    <FormDialog
      title={title}
      description={description}
      change={rotate}
      action={`Rotate ${what}`}
      creating={rotate.isPending ? `The ${what} is being created` : undefined}
      onSubmit={() => rotate.mutate(hours)}
      onClose={onClose}
    >
      <Select label={overlap} value={hours} onChange={({ target }) => setHours(Number(target.value))}>
        <option value={0}>{stopNow}</option>
        {overlaps.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </Select>
    </FormDialog>
  );
};
