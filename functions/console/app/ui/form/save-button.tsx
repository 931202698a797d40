import { Button } from './button.tsx';

interface SaveButtonProps {
  readonly busy: boolean;
  readonly isSame: boolean;
  /** Why the person may not save at all. */
  readonly reason: string | undefined;
}

/** Saves a form of settings, once something in it has changed. */
export const SaveButton = ({ busy, isSame, reason }: SaveButtonProps) => (
  <div className="form__actions">
    <Button type="submit" variant="primary" busy={busy} disabledReason={reason ?? (isSame ? 'Nothing has changed' : undefined)}>
      Save
    </Button>
  </div>
);
