import { ApiFailure } from '../../../../../shared/client/index.ts';
import { Button } from '../../ui/form/button.tsx';
import type { Method } from './method-fields.tsx';
import { needsConsent } from './source-refusal.tsx';

interface ConnectButtonsProps {
  /** What the button says before the first attempt. */
  readonly action: string;
  readonly method: Method;
  readonly error: unknown;
  readonly busy: boolean;
  /** Why it cannot be sent. */
  readonly reason: string | undefined;
  /** Leaves for the consent of Google. */
  readonly onConsent: () => void;
  /** Of a dialog. Without it the button submits its form. */
  readonly onSubmit?: () => void;
}

/** Connects with one primary button: the consent if it is missing, else the attempt itself. */
export const ConnectButtons = ({ action, method, error, busy, reason, onConsent, onSubmit }: ConnectButtonsProps) => {
  const asksConsent = method === 'user' && needsConsent(error);
  const isRefused = error instanceof ApiFailure && error.code.startsWith('SOURCE_');
  const submit = (
    <Button
      type={onSubmit ? 'button' : 'submit'}
      variant={asksConsent ? 'secondary' : 'primary'}
      busy={busy}
      disabledReason={reason}
      {...(onSubmit && { onClick: onSubmit })}
    >
      {isRefused ? 'Check again' : action}
    </Button>
  );
  if (!asksConsent) return submit;
  const consent = (
    <Button variant="primary" icon="external" disabledReason={reason} onClick={onConsent}>
      Allow access with Google
    </Button>
  );
  // The main button is the first one of a form, and the last one of a dialog.
  return onSubmit ? (
    <>
      {submit}
      {consent}
    </>
  ) : (
    <>
      {consent}
      {submit}
    </>
  );
};
